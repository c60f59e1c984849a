import { invalidSignature, readHex, readSeconds } from "../signature.ts";
import type { WebhookEvent, WebhookSource } from "../source.ts";

/** https://docs.stripe.com/api/events/object */
export interface StripePayload {
  id: string;
  type: string;
  created: number;
  livemode: boolean;
  data: { object: Record<string, unknown>; [member: string]: unknown };
  [member: string]: unknown;
}

export type StripeEvent = WebhookEvent<StripePayload>;

/** https://docs.stripe.com/webhooks#verify-manually */
export const stripe: WebhookSource<StripePayload> = {
  secret: {
    what: "signing secrets as Stripe shows them (whsec_…)",
    read: (one) => (/^whsec_[\w+/=-]{8,}$/.test(one) ? Buffer.from(one) : undefined),
  },
  headers: {
    "Stripe-Signature": "t= and the time, v1= and the HMAC of the time, a dot and the body, in hexadecimal",
  },
  readClaim({ "stripe-signature": header }) {
    const parts = `${header}`.split(",").map((part) => part.trim().split("="));
    const findValues = (name: string) => parts.filter(([key]) => key === name).map(([, value]) => value);
    const [time, ...others] = findValues("t");
    const signedAt = readSeconds(time);
    const signatures = findValues("v1").flatMap(readHex);
    if (signedAt === undefined || others.length > 0 || signatures.length === 0)
      throw invalidSignature("Send Stripe-Signature: t=, a time in seconds, and v1=, 64 hexadecimal digits.");
    return { prefix: `${time}.`, signatures, signedAt };
  },
  identify: ({ id, type }) => ({ id, type }),
};
