import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { type OpenApi, type Operation, operationsIn, takesAnyMethod } from "../document.ts";
import { validItem } from "../items.ts";
import { otherSpellings } from "../routes.ts";
import {
  begin,
  type Check,
  each,
  exchange,
  expectJson,
  expectNotFound,
  expectProblem,
  message,
  post,
  type Running,
  type Sent,
  type Subject,
  send,
} from "../suite.ts";
import type { Reply } from "../wire.ts";
import { tokens } from "./tokens.ts";

const [token = "", other] = tokens;
const json = { "Content-Type": "application/json" };

const notBearer = ["", "Bearer", "Basic dGVzdDp0ZXN0", `Basic ${token}`, token, `Token ${token}`, `Bearer${token}`];

const wrongTokens = [
  "x",
  token.slice(0, -1),
  token.slice(1),
  `${token}x`,
  `${token}=`,
  swapCase(token),
  [...token].reverse().join(""),
  `"${token}"`,
  `${token},${token}`,
  tokens.join() === token ? `${token},` : tokens.join(),
  "x".repeat(4000),
  "\xe9".repeat(40),
  "__proto__",
];

const checks: Check[] = [
  {
    name: "a request without a token is 401, and the answer says how to send one",
    async run(subject) {
      for (const path of [subject.path, `${subject.path}?limit=1`, `http://localhost${subject.path}`])
        expectChallenge(await exchange(subject, anonymous(subject, { path })));
      await each(notBearer, async (Authorization) => {
        expectChallenge(await send(subject, { headers: { Authorization } }));
      });
      await each([`access_token=${token}`, `token=${token}`], async (query) => {
        expectChallenge(await exchange(subject, anonymous(subject, { path: `${subject.path}?${query}` })));
      });
      expectChallenge(
        await exchange(subject, anonymous(subject, { headers: { "Proxy-Authorization": `Bearer ${token}` } })),
      );
      expectChallenge(await exchange(subject, anonymous(subject, { headers: { Cookie: `token=${token}` } })));
    },
  },
  {
    name: "a wrong token is 401, however similar it is to a valid one",
    async run(subject) {
      await each(wrongTokens, async (wrong) => {
        expectChallenge(await send(subject, { headers: bearer(wrong) }), ', error="invalid_token"');
      });
    },
  },
  {
    name: "every token is accepted, with Bearer in any case",
    async run(subject) {
      await each(tokens, async (one) => {
        for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer "])
          expectJson(await send(subject, { headers: { Authorization: `${scheme} ${one}` } }), 200);
      });
    },
  },
  {
    name: "a repeated Authorization is 401: servers disagree about which one counts",
    async run(subject) {
      const [right, wrong] = [`Bearer ${token}`, "Bearer wrong"];
      await each(
        [
          [right, wrong],
          [wrong, right],
          [right, right],
        ],
        async ([first = "", second = ""]) => {
          expectChallenge(await send(subject, { headers: { Authorization: first, authorization: second } }));
        },
      );
    },
  },
  {
    name: "/health needs no token and ignores a wrong one",
    async run(subject) {
      expectJson(await exchange(subject, anonymous(subject, { path: "/health" })), 200);
      expectJson(await exchange(subject, anonymous(subject, { path: "/health?x=1" })), 200);
      expectJson(await send(subject, { path: "/health", headers: bearer("wrong") }), 200);
      if (takesAnyMethod(subject.document, { path: "/health" })) return;
      const changed = await exchange(subject, anonymous(subject, { path: "/health", method: "PUT" }));
      expectProblem(changed, 405, "method_not_allowed");
    },
  },
  {
    name: "OPTIONS needs no token; an unknown path does",
    async run(subject) {
      const reply = await exchange(subject, anonymous(subject, { method: "OPTIONS" }));
      assert.equal(reply.status, 204);
      await each(["/nowhere", ...otherSpellings(subject.path)], async (path) => {
        for (const method of ["GET", "POST"])
          expectChallenge(await exchange(subject, anonymous(subject, { path, method })));
        expectNotFound(await send(subject, { path }), path);
      });
    },
  },
  {
    name: "without a token nothing else is checked, and no body is requested",
    async run(subject) {
      const requests: Sent[] = [
        { path: `${subject.path}?limit=0` },
        { method: "DELETE" },
        { method: "POST", headers: json, body: "[]" },
        { method: "POST", headers: json, body: "{" },
        { method: "POST", headers: json, body: "x".repeat(subject.bodyLimitBytes + 1) },
        { method: "POST", headers: { "Content-Type": "text/plain" }, body: "x" },
        { method: "POST", headers: { ...json, "Idempotency-Key": "two words" }, body: "{}" },
      ];
      await each(requests, async (sent) => expectChallenge(await exchange(subject, anonymous(subject, sent))));
      const expecting = { ...json, Expect: "100-continue", "Content-Length": "10" };
      const reply = await exchange(subject, anonymous(subject, { method: "POST", headers: expecting }));
      expectChallenge(reply);
      assert.equal(reply.headers["connection"], "close");
    },
  },
  {
    name: "HEAD without a token is 401 without a body",
    async run(subject) {
      const both = Buffer.concat([anonymous(subject, { method: "HEAD" }), anonymous(subject, { path: "/nowhere" })]);
      assert.equal((await exchange(subject, both, { isHead: true })).status, 401);
    },
  },
  {
    name: "an Idempotency-Key belongs to the token that it came with",
    async run(subject) {
      // A backend that runs already may have only one token.
      if (other === undefined) return;
      const key = { "Idempotency-Key": randomUUID() };
      const [sent, sentByOther] = [validItem(subject.item), validItem(subject.item)];
      const made = expectJson(await post(subject, sent, key), 201);
      const madeByOther = expectJson(await post(subject, sentByOther, { ...key, ...bearer(other) }), 201);
      assert.notEqual(madeByOther.id, made.id);
      assert.deepEqual(expectJson(await post(subject, sent, key), 201), made);
      assert.deepEqual(expectJson(await post(subject, sentByOther, { ...key, ...bearer(other) }), 201), madeByOther);
    },
  },
];

/** Public resources are skipped. */
export const authChecks: Check[] = checks.map(({ name, run }) => ({
  name,
  run: async (subject) => {
    const own = operationsIn(subject.document).filter(({ path }) => path === subject.path);
    if (own.every(({ security }) => needsToken(subject.document, security))) await run(subject);
  },
}));

/** Checks for every operation of the document. */
export const authOperationChecks: Check<Running>[] = [
  {
    name: "every operation needs a token, except public ones",
    async run(subject) {
      const closed = closedIn(subject.document).filter(({ method }) => method !== "OPTIONS");
      await each(closed, async ({ method, target, bodyType }) => {
        const sent = { method, path: target, ...(bodyType && { headers: { "Content-Type": bodyType }, body: "{}" }) };
        const reply = await exchange(subject, anonymous(subject, sent), { isHead: method === "HEAD" });
        if (method === "HEAD") assert.equal(reply.status, 401);
        else expectChallenge(reply);
        if (method !== "GET") return;
        const head = await exchange(subject, anonymous(subject, { ...sent, method: "HEAD" }), { isHead: true });
        assert.equal(head.status, 401);
      });
    },
  },
  {
    name: "no public operation asks for a token",
    async run(subject) {
      const open = publicIn(subject.document).filter(({ method }) => method === "GET");
      await each(open, async ({ target }) => {
        // An owner's own authentication may ask for something else.
        const { headers } = await begin(subject, anonymous(subject, { path: target }));
        assert.doesNotMatch(headers["www-authenticate"] ?? "", /^Bearer realm="api"/);
      });
    },
  },
];

/** The operations of a document that need a token. */
export function closedIn(document: OpenApi): Operation[] {
  return operationsIn(document).filter(({ security }) => needsToken(document, security));
}

function publicIn(document: OpenApi): Operation[] {
  return operationsIn(document).filter(({ security }) => !needsToken(document, security));
}

/** One met requirement is enough: with one that has no bearer token, no token is needed. */
function needsToken(document: OpenApi, security: object[] = []): boolean {
  const { securitySchemes = {} } = (document.components ?? {}) as { securitySchemes?: Record<string, object> };
  const isBearer = (name: string) => (securitySchemes[name] as { scheme?: string } | undefined)?.scheme === "bearer";
  return security.length > 0 && security.every((requirement) => Object.keys(requirement).some(isBearer));
}

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** The bytes of a request without the header `Authorization`. */
function anonymous(subject: Running | Subject, sent: Sent): Buffer {
  return Buffer.from(
    message(subject, sent)
      .toString("latin1")
      .replace(/^Authorization: .*\r\n/m, ""),
    "latin1",
  );
}

function expectChallenge(reply: Reply, error = ""): void {
  expectProblem(reply, 401, "unauthorized");
  assert.equal(reply.headers["www-authenticate"], `Bearer realm="api"${error}`);
}

function swapCase(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}
