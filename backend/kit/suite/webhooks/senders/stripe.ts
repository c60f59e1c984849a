import { createHmac, randomUUID } from "node:crypto";
import type { Sender } from "../sender.ts";

const name = "Stripe-Signature";

/** https://docs.stripe.com/webhooks#verify-manually */
export const stripe: Sender = {
  variable: "WEBHOOK_STRIPE_SECRETS",
  fakes: ["whsec_fakeSecretForStripeOne", "whsec_fakeSecretForStripeTwo", "whsec_fakeSecretThatNobodyKnows"],
  isTimed: true,
  sample() {
    const id = `evt_${randomUUID().replaceAll("-", "")}`;
    const object = { id: "in_fake", object: "invoice", amount_paid: 1000, currency: "eur" };
    const event = { id, object: "event", type: "invoice.paid", created: 1_700_000_000, livemode: false };
    // Stripe sends JSON over several lines.
    return { headers: {}, body: JSON.stringify({ ...event, data: { object } }, null, 2) };
  },
  sign: (message, secret, seconds) => ({ ...message.headers, [name]: header(message.body, [secret], seconds) }),
  signWithAll: ({ headers, body }, secrets, seconds) => ({ ...headers, [name]: header(body, secrets, seconds) }),
  misspelled(signed) {
    const [time = "", v1 = ""] = signed[name]?.split(",") ?? [];
    const hex = v1.slice(3);
    const wrong = ["", time, v1, `${time},${hex}`, `${time},v0=${hex}`, `${time},v1=`, `${time},v1=${hex.slice(1)}`];
    const times = [`t=,${v1}`, `t=abc,${v1}`, `${time}0,${v1}`, `t=-1,${v1}`, `${time},${time},${v1}`, `${time};${v1}`];
    return [
      ...[...wrong, ...times].map((value) => ({ ...signed, [name]: value })),
      { ...signed, [name.toLowerCase()]: signed[name] ?? "" },
    ];
  },
  published: [],
};

function header(body: string, secrets: string[], seconds: number): string {
  const v1 = secrets.map((secret) => createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex"));
  return [`t=${seconds}`, ...v1.map((hex) => `v1=${hex}`), `v0=${"0".repeat(64)}`].join();
}
