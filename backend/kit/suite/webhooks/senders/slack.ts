import { createHmac, randomUUID } from "node:crypto";
import { type Sender, without } from "../sender.ts";

const [time, name] = ["X-Slack-Request-Timestamp", "X-Slack-Signature"];

/** https://docs.slack.dev/authentication/verifying-requests-from-slack */
export const slack: Sender = {
  variable: "WEBHOOK_SLACK_SECRETS",
  fakes: ["fakeSigningSecretForSlackOne0000", "fakeSigningSecretForSlackTwo0000", "fakeSigningSecretNobodyKnows0000"],
  isTimed: true,
  sample() {
    const event = { type: "app_mention", user: "U0FAKE", text: "Hello", ts: "1515449522.000016", channel: "C0FAKE" };
    const about = { type: "event_callback", team_id: "T0FAKE", event_id: `Ev${randomUUID()}` };
    return { headers: {}, body: JSON.stringify({ ...about, event }) };
  },
  question() {
    const challenge = randomUUID();
    return { headers: {}, body: JSON.stringify({ type: "url_verification", challenge }), answer: { challenge } };
  },
  sign({ headers, body }, secret, seconds) {
    const hex = createHmac("sha256", secret).update(`v0:${seconds}:${body}`).digest("hex");
    return { ...headers, [time]: `${seconds}`, [name]: `v0=${hex}` };
  },
  misspelled(signed) {
    const hex = signed[name]?.slice(3) ?? "";
    const wrong = ["", hex, "v0=", `v1=${hex}`, `V0=${hex}`, `v0=${hex.slice(1)}`, `v0=${hex}0`, `v0=${hex},v0=${hex}`];
    return [
      ...[time, name].map((one) => without(signed, one)),
      ...wrong.map((value) => ({ ...signed, [name]: value })),
      ...["", "abc", `${signed[time]}.0`, `-${signed[time]}`].map((value) => ({ ...signed, [time]: value })),
      { ...signed, [name.toLowerCase()]: signed[name] ?? "" },
      { ...signed, [time.toLowerCase()]: signed[time] ?? "" },
    ];
  },
  published: [
    {
      secret: "8f742231b10e8888abcd99yyyzzz85a5",
      seconds: 1_531_420_618,
      message: {
        headers: {},
        body: "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c",
      },
      headers: {
        [time]: "1531420618",
        [name]: "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
      },
    },
  ],
};
