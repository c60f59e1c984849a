import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { sign, verify } from "@octokit/webhooks-methods";
import { isValidSlackRequest } from "@slack/bolt";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { github } from "../../kit/suite/webhooks/senders/github.ts";
import { slack } from "../../kit/suite/webhooks/senders/slack.ts";
import { standard } from "../../kit/suite/webhooks/senders/standard.ts";
import { stripe } from "../../kit/suite/webhooks/senders/stripe.ts";
import { Backend } from "../../kit/test/backend.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";

const stripeApi = new Stripe("sk_test_fake");
const seconds = () => Math.floor(Date.now() / 1000);

describe("a webhook that the source's own library signed is accepted", () => {
  let backend: Backend;

  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile() });
  });
  after(() => backend.stop());

  const deliver = async (source: string, headers: Record<string, string>, body: string) => {
    const sent = { "Content-Type": "application/json", ...headers };
    return (await fetch(`${backend.url}/webhooks/${source}`, { method: "POST", headers: sent, body })).status;
  };

  test("GitHub's", async () => {
    const { headers, body } = github.sample();
    const signature = (secret: string) => sign(secret, body);
    for (const secret of github.fakes.slice(0, 2))
      assert.equal(await deliver("github", { ...headers, "X-Hub-Signature-256": await signature(secret) }, body), 202);
    const wrong = { ...headers, "X-Hub-Signature-256": await signature(github.fakes[2]) };
    assert.equal(await deliver("github", wrong, body), 401);
  });

  test("Stripe's", async () => {
    const { body: payload } = stripe.sample();
    const header = (secret: string, timestamp = seconds()) =>
      stripeApi.webhooks.generateTestHeaderString({ payload, secret, timestamp });
    for (const secret of stripe.fakes.slice(0, 2))
      assert.equal(await deliver("stripe", { "Stripe-Signature": header(secret) }, payload), 202);
    assert.equal(await deliver("stripe", { "Stripe-Signature": header(stripe.fakes[2]) }, payload), 401);
    const late = header(stripe.fakes[0], seconds() - 400);
    assert.equal(await deliver("stripe", { "Stripe-Signature": late }, payload), 401);
  });

  test("Standard Webhooks'", async () => {
    const [id, date] = [`msg_${randomUUID()}`, new Date()];
    const { body } = standard.sample();
    const signed = (secret: string) => ({
      "webhook-id": id,
      "webhook-timestamp": `${Math.floor(date.valueOf() / 1000)}`,
      "webhook-signature": new Webhook(secret).sign(id, date, body),
    });
    for (const secret of standard.fakes.slice(0, 2)) assert.equal(await deliver("standard", signed(secret), body), 202);
    assert.equal(await deliver("standard", signed(standard.fakes[2]), body), 401);
  });
});

/** What the suite and `dory webhook send` sign. */
describe("a webhook that is signed here is accepted by the source's own library", () => {
  test("GitHub's", async () => {
    const message = github.sample();
    const signed = github.sign(message, github.fakes[0], 0)["X-Hub-Signature-256"] ?? "";
    assert.equal(await verify(github.fakes[0], message.body, signed), true);
    assert.equal(await verify(github.fakes[1], message.body, signed), false);
  });

  test("Stripe's", () => {
    const message = stripe.sample();
    const [secret] = stripe.fakes;
    const headers = [
      stripe.sign(message, secret, seconds()),
      stripe.signWithAll?.(message, [...stripe.fakes], seconds()),
    ];
    for (const header of headers.map((one) => one?.["Stripe-Signature"] ?? ""))
      assert.equal(stripeApi.webhooks.constructEvent(message.body, header, secret).type, "invoice.paid");
  });

  test("Standard Webhooks'", () => {
    const message = standard.sample();
    const [secret] = standard.fakes;
    const library = new Webhook(secret);
    library.verify(message.body, standard.sign(message, secret, seconds()));
    library.verify(message.body, standard.signWithAll?.(message, [...standard.fakes], seconds()) ?? {});
    assert.throws(() => library.verify(message.body, standard.sign(message, standard.fakes[1], seconds())));
  });

  test("Slack's", () => {
    const { body, ...message } = slack.sample();
    const [signingSecret, other] = slack.fakes;
    const signed = slack.sign({ ...message, body }, signingSecret, seconds());
    const headers = {
      "x-slack-signature": signed["X-Slack-Signature"] ?? "",
      "x-slack-request-timestamp": Number(signed["X-Slack-Request-Timestamp"]),
    };
    assert.equal(isValidSlackRequest({ signingSecret, body, headers }), true);
    assert.equal(isValidSlackRequest({ signingSecret: other, body, headers }), false);
  });
});
