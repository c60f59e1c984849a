import { invalidSignature, readHex } from "../signature.ts";
import type { WebhookEvent, WebhookSource } from "../source.ts";

/** What most events have; the rest is in https://docs.github.com/webhooks/webhook-events-and-payloads */
export interface GithubPayload {
  action?: string;
  repository?: { full_name: string; [member: string]: unknown };
  sender?: { login: string; [member: string]: unknown };
  [member: string]: unknown;
}

/**
 * GitHub signs only the body: `payload` and `body` are GitHub's, but `id` and `type` are headers that whoever has
 * captured a delivery can change when they send it again. Decide by the payload, and apply each change once by its content.
 */
export type GithubEvent = WebhookEvent<GithubPayload>;

/** https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries */
export const github: WebhookSource<GithubPayload> = {
  secret: {
    what: "secrets of at least 16 characters, as entered at GitHub",
    read: (one) => (/^[!-~](?=.{15})[ -~]*[!-~]$/.test(one) ? Buffer.from(one) : undefined),
  },
  headers: {
    "X-Hub-Signature-256": "sha256= and the HMAC of the body, in hexadecimal",
    "X-GitHub-Delivery": "The id of the delivery",
    "X-GitHub-Event": "The type of the event",
  },
  readClaim({ "x-hub-signature-256": header }) {
    const [, hex] = /^sha256=(.*)$/.exec(`${header}`) ?? [];
    const signatures = readHex(hex);
    if (signatures.length === 0)
      throw invalidSignature("Send X-Hub-Signature-256: sha256= and 64 hexadecimal digits. Is a secret set?");
    return { prefix: "", signatures };
  },
  identify: (_payload, headers) => ({ id: headers["x-github-delivery"], type: headers["x-github-event"] }),
};
