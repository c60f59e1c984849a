import { createHmac, randomUUID } from "node:crypto";
import { type Message, type Sender, without } from "../sender.ts";

const [id, time, name] = ["webhook-id", "webhook-timestamp", "webhook-signature"];

/** https://www.standardwebhooks.com */
export const standard: Sender = {
  variable: "WEBHOOK_STANDARD_SECRETS",
  fakes: [
    "whsec_ZmFrZSBzZWNyZXQgZm9yIHdlYmhvb2tzIDE=",
    "whsec_ZmFrZSBzZWNyZXQgZm9yIHdlYmhvb2tzIDI=",
    "whsec_ZmFrZSBzZWNyZXQgdGhhdCBub2JvZHkga25vd3M=",
  ],
  isTimed: true,
  sample: () => ({
    headers: { [id]: `msg_${randomUUID()}` },
    body: JSON.stringify({ type: "contact.created", timestamp: "2026-01-31T12:00:00Z", data: { name: "Zoë" } }),
  }),
  sign: (message, secret, seconds) => ({
    ...message.headers,
    [time]: `${seconds}`,
    [name]: signature(message, secret, seconds),
  }),
  signWithAll: (message, secrets, seconds) => ({
    ...message.headers,
    [time]: `${seconds}`,
    [name]: ["v1a,a2V5", ...secrets.map((secret) => signature(message, secret, seconds))].join(" "),
  }),
  misspelled(signed) {
    const base64 = signed[name]?.slice(3) ?? "";
    const wrong = ["", base64, `v1=${base64}`, `v2,${base64}`, `v1a,${base64}`, `v1,${base64.slice(1)}`, "v1,"];
    const hex = `v1,${Buffer.from(base64, "base64").toString("hex")}`;
    return [
      ...[id, time, name].map((one) => without(signed, one)),
      ...[...wrong, hex].map((value) => ({ ...signed, [name]: value })),
      ...["", "abc", `${signed[time]}.0`, `-${signed[time]}`].map((value) => ({ ...signed, [time]: value })),
      { ...signed, [id]: `${signed[id]}x` },
      { ...signed, [name.toUpperCase()]: signed[name] ?? "" },
      { ...signed, [id.toUpperCase()]: signed[id] ?? "" },
    ];
  },
  published: [
    {
      secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      seconds: 1_614_265_330,
      message: { headers: { [id]: "msg_p5jXN8AQM9LWM0D4loKWxJek" }, body: '{"test": 2432232314}' },
      headers: {
        [id]: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        [time]: "1614265330",
        [name]: "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
      },
    },
  ],
};

function signature({ headers, body }: Message, secret: string, seconds: number): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  return `v1,${createHmac("sha256", key).update(`${headers[id]}.${seconds}.${body}`).digest("base64")}`;
}
