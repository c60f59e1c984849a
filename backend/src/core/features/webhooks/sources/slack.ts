import { invalidSignature, readHex, readSeconds } from "../signature.ts";
import type { WebhookEvent, WebhookSource } from "../source.ts";

/** https://docs.slack.dev/apis/events-api */
export interface SlackPayload {
  type: string;
  event_id?: string;
  team_id?: string;
  event?: { type: string; [member: string]: unknown };
  challenge?: string;
  [member: string]: unknown;
}

export type SlackEvent = WebhookEvent<SlackPayload>;

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const slack: WebhookSource<SlackPayload> = {
  secret: {
    what: "signing secrets as Slack shows them, of 32 letters and digits",
    read: (one) => (/^[A-Za-z\d]{32,}$/.test(one) ? Buffer.from(one) : undefined),
  },
  headers: {
    "X-Slack-Request-Timestamp": "When it was sent, in seconds since 1970",
    "X-Slack-Signature": "v0= and the HMAC of v0, the time and the body, with colons between them, in hexadecimal",
  },
  readClaim({ "x-slack-request-timestamp": time, "x-slack-signature": header }) {
    const signedAt = readSeconds(time);
    const [, hex] = /^v0=(.*)$/.exec(`${header}`) ?? [];
    const signatures = readHex(hex);
    if (signedAt === undefined || signatures.length === 0)
      throw invalidSignature("Send X-Slack-Request-Timestamp in seconds, and X-Slack-Signature: v0= and 64 digits.");
    return { prefix: `v0:${time}:`, signatures, signedAt };
  },
  identify: ({ event_id: id, event, type }) => ({ id, type: event?.type ?? type }),
  /** Slack verifies a URL before it sends events there: it expects its challenge as the answer. */
  answer: ({ type, challenge }) =>
    type === "url_verification" && typeof challenge === "string" ? { challenge } : undefined,
};
