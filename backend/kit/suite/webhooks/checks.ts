import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { chunked } from "../creating.ts";
import type { OpenApi } from "../document.ts";
import {
  type Check,
  each,
  exchange,
  expectEncodingRefused,
  expectJson,
  expectNotFound,
  expectProblem,
  message,
  type Running,
  send,
} from "../suite.ts";
import { type Reply, Wire } from "../wire.ts";
import type { Headers, Message, Sender } from "./sender.ts";
import { readSecrets, senders } from "./senders.ts";

/** A route for the events of a source. */
interface Hook extends Sender {
  source: string;
  path: string;
  secrets: string[];
  bodyLimitBytes: number;
}

const json = { "Content-Type": "application/json" };

/** Deliveries that must not be accepted. None of them stores an event. */
export const forgeryChecks: Check<Running>[] = [
  {
    name: "a delivery without a signature is 401, whatever it contains",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        const { headers, body } = hook.sample();
        expectRefusal(await deliver(subject, hook, headers, body));
        expectRefusal(await deliver(subject, hook, {}, body));
        expectRefusal(await deliver(subject, hook, { ...headers, Authorization: "Basic !!!" }, "{"));
        for (const type of ["text/plain", "application/json; charset=x", "multipart/form-data"])
          expectRefusal(await deliver(subject, hook, { ...headers, "Content-Type": type }, body));
      });
    },
  },
  {
    name: "a delivery that someone else signed is 401",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        const sample = hook.sample();
        const [, , stranger] = hook.fakes;
        expectRefusal(await deliver(subject, hook, hook.sign(sample, stranger, now()), sample.body));
      });
    },
  },
  {
    name: "an unknown source is 404, and so is any other spelling of a known one",
    async run(subject) {
      await eachHook(subject, async ({ path }) => {
        const base = path.slice(0, path.lastIndexOf("/"));
        const others = [base, `${base}/`, `${base}/bitbucket`, `${path}/`, `${base}/x/../${path}`, `${path}/x`];
        await each([...others, path.toUpperCase()], async (other) => {
          expectNotFound(await send(subject, { path: other, method: "POST" }), `POST ${other}`);
        });
      });
    },
  },
  {
    name: "the body of a delivery without a signature is not requested",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        const expecting = { ...json, Expect: "100-continue", "Content-Length": "10" };
        const reply = await exchange(
          subject,
          message(subject, { method: "POST", path: hook.path, headers: expecting }),
        );
        expectRefusal(reply);
        assert.equal(reply.headers["connection"], "close");
      });
    },
  },
];

/** Deliveries that must be accepted, and similar ones that must not. These checks need the secrets. */
export const deliveryChecks: Check<Running>[] = [
  {
    name: "a signed delivery is 202, with any of the secrets, also when it is repeated",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        for (const secret of hook.secrets) {
          const sample = hook.sample();
          const signed = hook.sign(sample, secret, now());
          const first = expectJson(await deliver(subject, hook, signed, sample.body), 202);
          assert.deepEqual(Object.keys(first), ["id"]);
          assert.deepEqual(expectJson(await deliver(subject, hook, signed, sample.body), 202), first);
          const later = hook.sign(sample, secret, now() - 100);
          assert.deepEqual(expectJson(await deliver(subject, hook, later, sample.body), 202), first);
        }
      });
    },
  },
  {
    name: "concurrent deliveries of the same event are all 202",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        const sample = hook.sample();
        const signed = signedBy(hook, sample);
        const all = Array.from({ length: 8 }, () => deliver(subject, hook, signed, sample.body));
        const ids = (await Promise.all(all)).map((reply) => expectJson(reply, 202).id);
        assert.equal(new Set(ids).size, 1);
      });
    },
  },
  {
    name: "one of several signatures must match",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        const [, , stranger] = hook.fakes;
        const sample = hook.sample();
        const both = hook.signWithAll?.(sample, [stranger, ...hook.secrets], now());
        if (both) expectJson(await deliver(subject, hook, both, sample.body), 202);
        const none = hook.signWithAll?.(sample, [stranger, `${stranger}0000`], now());
        if (none) expectRefusal(await deliver(subject, hook, none, sample.body));
      });
    },
  },
  {
    name: "a malformed signature, or one that is sent twice, is 401",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        const sample = hook.sample();
        await each(hook.misspelled(signedBy(hook, sample)), async (wrong) => {
          expectRefusal(await deliver(subject, hook, wrong, sample.body));
        });
      });
    },
  },
  {
    name: "a signature over other bytes is 401, however similar they are",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        const sample = hook.sample();
        const signed = signedBy(hook, sample);
        const { body } = sample;
        for (const other of [` ${body}`, `${body} `, `${body}\n`, body.slice(0, -1), body.replace(":", ": "), "{}", ""])
          expectRefusal(await deliver(subject, hook, signed, other));
      });
    },
  },
  {
    name: "a signature is accepted for 300 seconds before and after its time",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        for (const seconds of [0, -290, 290, -310, 310, -86_400, 1e9]) {
          const sample = hook.sample();
          const signed = hook.sign(sample, hook.secrets[0] ?? "", now() + seconds);
          const reply = await deliver(subject, hook, signed, sample.body);
          if (hook.isTimed && Math.abs(seconds) > 300) expectRefusal(reply);
          else expectJson(reply, 202);
        }
      });
    },
  },
  {
    name: "a delivery of exactly the limit is accepted, one byte more is 413",
    async run(subject) {
      // One source is enough: the bodies are large, and the limit is the same for all.
      for (const hook of hooksIn(subject).slice(0, 1)) {
        const exact = padded(hook.sample(), hook.bodyLimitBytes);
        expectJson(await deliver(subject, hook, signedBy(hook, exact), exact.body), 202);
        const pieces = { ...signedBy(hook, exact), "Transfer-Encoding": "chunked" };
        expectJson(await deliver(subject, hook, pieces, chunked(exact.body)), 202);
        const larger = padded(hook.sample(), hook.bodyLimitBytes + 1);
        const signed = signedBy(hook, larger);
        expectProblem(await deliver(subject, hook, signed, larger.body), 413, "body_too_large");
        const inPieces = { ...signed, "Transfer-Encoding": "chunked" };
        expectProblem(await deliver(subject, hook, inPieces, chunked(larger.body)), 413, "body_too_large");
      }
    },
  },
  {
    name: "a signed body that is not JSON in UTF-8 is refused",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        const { headers } = hook.sample();
        for (const body of ["", "{", "\ufeff{}", "payload=%7B%7D"])
          expectProblem(await deliver(subject, hook, signedBy(hook, { headers, body }), body), 400, "malformed_json");
        const sample = hook.sample();
        const signed = signedBy(hook, sample);
        for (const type of ["application/x-www-form-urlencoded", "text/plain", "application/json; charset=latin1"]) {
          const reply = await deliver(subject, hook, { ...signed, "Content-Type": type }, sample.body);
          expectProblem(reply, 415, "unsupported_media_type");
        }
        const packed = { ...signed, "Content-Encoding": "gzip" };
        const reply = await deliver(subject, hook, packed, sample.body);
        await expectEncodingRefused(reply, () => deliver(subject, hook, packed, gzipSync(sample.body)));
      });
    },
  },
  {
    name: "any JSON value is accepted, and a query is ignored",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        for (const body of ["{}", "[]", "null", "5", '"text"', '{"id":5,"type":{},"event":null,"event_id":""}']) {
          const { headers } = hook.sample();
          const reply = await deliver(subject, hook, signedBy(hook, { headers, body }), body, "?x=1&x=2");
          assert.equal(typeof expectJson(reply, 202).id, "string");
        }
      });
    },
  },
  {
    name: "the body of a delivery with Expect: 100-continue is requested with 100",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        const sample = hook.sample();
        const length = `${Buffer.byteLength(sample.body)}`;
        const headers = { ...json, ...signedBy(hook, sample), Expect: "100-continue", "Content-Length": length };
        const head = message(subject, { method: "POST", path: hook.path, headers });
        const wire = new Wire(subject.url);
        assert.equal((await wire.send(head).reply()).status, 100);
        expectJson(await wire.send(Buffer.from(sample.body)).reply(), 202);
        wire.end();
      });
    },
  },
  {
    name: "a signed verification request of a source gets its answer",
    async run(subject) {
      await eachHook(subject, async (hook) => {
        if (!hook.question) return;
        const { answer, ...question } = hook.question();
        assert.deepEqual(
          expectJson(await deliver(subject, hook, signedBy(hook, question), question.body), 200),
          answer,
        );
        expectRefusal(await deliver(subject, hook, question.headers, question.body));
      });
    },
  },
];

/** The hooks that the document describes. */
export function hooksIn({ document }: { document: OpenApi }): Hook[] {
  return Object.entries(document.paths).flatMap(([path, item]) => {
    const { "x-webhook-source": source = "", "x-body-limit": bodyLimitBytes = 1_048_576 } =
      (item as { post?: { "x-webhook-source"?: string; "x-body-limit"?: number } }).post ?? {};
    const sender = Object.hasOwn(senders, source) ? senders[source] : undefined;
    return sender ? [{ ...sender, source, path, secrets: readSecrets(sender), bodyLimitBytes }] : [];
  });
}

/** Reports which of them failed, without their secrets. */
function eachHook(subject: Running, check: (hook: Hook) => Promise<void>): Promise<void> {
  const hooks = new Map(hooksIn(subject).map((hook) => [hook.path, hook]));
  return each(hooks.keys(), (path) => check(hooks.get(path) as Hook));
}

function deliver(
  subject: Running,
  { path }: Hook,
  headers: Headers,
  body: string | Buffer,
  query = "",
): Promise<Reply> {
  return send(subject, { method: "POST", path: path + query, headers: { ...json, ...headers }, body });
}

const now = () => Math.floor(Date.now() / 1000);

function signedBy(hook: Hook, sample: Message): Headers {
  return hook.sign(sample, hook.secrets[0] ?? "", now());
}

/** The message, padded with spaces to so many bytes. */
function padded({ headers, body }: Message, bytes: number): Message {
  return { headers, body: body + " ".repeat(bytes - Buffer.byteLength(body)) };
}

function expectRefusal(reply: Reply): void {
  expectProblem(reply, 401, "invalid_signature");
  assert.ok(reply.headers["www-authenticate"]);
}
