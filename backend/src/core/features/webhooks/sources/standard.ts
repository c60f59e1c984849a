import { invalidSignature, readSeconds } from "../signature.ts";
import type { WebhookEvent, WebhookSource } from "../source.ts";

/** What the specification recommends. */
export interface StandardPayload {
  type?: string;
  timestamp?: string;
  data?: unknown;
  [member: string]: unknown;
}

export type StandardEvent = WebhookEvent<StandardPayload>;

/** https://www.standardwebhooks.com: with a shared secret (v1). */
export const standard: WebhookSource<StandardPayload> = {
  secret: {
    what: "secrets in base64 of 24 to 64 bytes, after whsec_",
    read(one) {
      const [, base64 = ""] = /^(?:whsec_)?([A-Za-z\d+/]+={0,2})$/.exec(one) ?? [];
      const key = Buffer.from(base64, "base64");
      return key.length >= 24 && key.length <= 64 ? key : undefined;
    },
  },
  headers: {
    "webhook-id": "The id of the event",
    "webhook-timestamp": "When it was sent, in seconds since 1970",
    "webhook-signature": "v1, and the HMAC of the id, the time and the body, with dots between them, in base64",
  },
  readClaim({ "webhook-id": id, "webhook-timestamp": time, "webhook-signature": header }) {
    const signedAt = readSeconds(time);
    const versions = `${header}`.split(" ").map((one) => /^v1,([A-Za-z\d+/]{43}=)$/.exec(one)?.[1]);
    const signatures = versions.flatMap((base64) => (base64 ? [Buffer.from(base64, "base64")] : []));
    if (!id || signedAt === undefined || signatures.length === 0)
      throw invalidSignature("Send webhook-id, webhook-timestamp in seconds, and webhook-signature: v1, and base64.");
    return { prefix: `${id}.${time}.`, signatures, signedAt };
  },
  identify: ({ type }, headers) => ({ id: headers["webhook-id"], type }),
};
