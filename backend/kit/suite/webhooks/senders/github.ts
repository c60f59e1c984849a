import { createHmac, randomUUID } from "node:crypto";
import { type Sender, without } from "../sender.ts";

const name = "X-Hub-Signature-256";

/** https://docs.github.com/webhooks/using-webhooks/validating-webhook-deliveries */
export const github: Sender = {
  variable: "WEBHOOK_GITHUB_SECRETS",
  fakes: ["a-fake-secret-for-github-one", "a-fake-secret-for-github-two", "a-fake-secret-that-nobody-knows"],
  isTimed: false,
  sample: () => ({
    headers: { "X-GitHub-Delivery": randomUUID(), "X-GitHub-Event": "ping" },
    body: JSON.stringify({ zen: "Keep it logically awesome.", hook_id: 1, sender: { login: "octocat" } }),
  }),
  sign({ headers, body }, secret) {
    return { ...headers, [name]: `sha256=${createHmac("sha256", secret).update(body).digest("hex")}` };
  },
  misspelled(signed) {
    const [, hex = ""] = signed[name]?.split("=") ?? [];
    const wrong = ["", hex, "sha256=", `sha1=${hex}`, `SHA256=${hex}`, `sha256=${hex.slice(1)}`, `sha256=${hex}0`];
    const sha1 = { "X-Hub-Signature": `sha256=${hex}` };
    return [
      { ...without(signed, name), ...sha1 },
      ...[...wrong, `sha256=${hex},sha256=${hex}`, `v1=${hex}`].map((value) => ({ ...signed, [name]: value })),
      { ...signed, [name.toLowerCase()]: signed[name] ?? "" },
    ];
  },
  published: [
    {
      secret: "It's a Secret to Everybody",
      seconds: 0,
      message: { headers: {}, body: "Hello, World!" },
      headers: { [name]: "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17" },
    },
  ],
};
