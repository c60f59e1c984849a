import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { validItem } from "../items.ts";
import { type Check, each, exchange, expectJson, expectProblem, message, post, type Sent, send } from "../suite.ts";
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

export const authChecks: Check[] = [
  {
    name: "a request without a token is 401, and told how to send one",
    async run(subject) {
      for (const path of ["/items", "/items?limit=1", "http://localhost/items"])
        expectChallenge(await exchange(subject, anonymous({ path })));
      await each(notBearer, async (Authorization) => {
        expectChallenge(await send(subject, { headers: { Authorization } }));
      });
      await each([`access_token=${token}`, `token=${token}`], async (query) => {
        expectChallenge(await exchange(subject, anonymous({ path: `/items?${query}` })));
      });
      expectChallenge(await exchange(subject, anonymous({ headers: { "Proxy-Authorization": `Bearer ${token}` } })));
      expectChallenge(await exchange(subject, anonymous({ headers: { Cookie: `token=${token}` } })));
    },
  },
  {
    name: "a wrong token is 401, however near it comes to a right one",
    async run(subject) {
      await each(wrongTokens, async (wrong) => {
        expectChallenge(await send(subject, { headers: bearer(wrong) }), ', error="invalid_token"');
      });
    },
  },
  {
    name: "every token is taken, however Bearer is spelled",
    async run(subject) {
      await each(tokens, async (one) => {
        for (const scheme of ["Bearer", "bearer", "BEARER", "Bearer "])
          expectJson(await send(subject, { headers: { Authorization: `${scheme} ${one}` } }), 200);
      });
    },
  },
  {
    name: "a repeated Authorization is 401: who comes first differs from server to server",
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
      expectJson(await exchange(subject, anonymous({ path: "/health" })), 200);
      expectJson(await exchange(subject, anonymous({ path: "/health?x=1" })), 200);
      expectJson(await send(subject, { path: "/health", headers: bearer("wrong") }), 200);
      expectProblem(await exchange(subject, anonymous({ path: "/health", method: "PUT" })), 405, "method_not_allowed");
    },
  },
  {
    name: "OPTIONS needs no token, nor does a path that is no route",
    async run(subject) {
      const reply = await exchange(subject, anonymous({ method: "OPTIONS" }));
      assert.deepEqual([reply.status, reply.headers["allow"]], [204, "GET, HEAD, POST, OPTIONS"]);
      await each(["/", "/items/", "/ITEMS", "//items", "/%69tems", "/x/../items"], async (path) => {
        for (const method of ["GET", "POST"])
          expectProblem(await exchange(subject, anonymous({ path, method })), 404, "not_found");
      });
    },
  },
  {
    name: "without a token nothing else is judged, and no body is asked for",
    async run(subject) {
      const requests: Sent[] = [
        { path: "/items?limit=0" },
        { method: "DELETE" },
        { method: "POST", headers: json, body: "[]" },
        { method: "POST", headers: json, body: "{" },
        { method: "POST", headers: json, body: "x".repeat(subject.bodyLimitBytes + 1) },
        { method: "POST", headers: { "Content-Type": "text/plain" }, body: "x" },
        { method: "POST", headers: { ...json, "Idempotency-Key": "two words" }, body: "{}" },
      ];
      await each(requests, async (sent) => expectChallenge(await exchange(subject, anonymous(sent))));
      const expecting = { ...json, Expect: "100-continue", "Content-Length": "10" };
      const reply = await exchange(subject, anonymous({ method: "POST", headers: expecting }));
      expectChallenge(reply);
      assert.equal(reply.headers["connection"], "close");
    },
  },
  {
    name: "HEAD without a token is 401 without a body",
    async run(subject) {
      const both = Buffer.concat([anonymous({ method: "HEAD" }), anonymous({ path: "/nowhere" })]);
      assert.equal((await exchange(subject, both, { isHead: true })).status, 401);
    },
  },
  {
    name: "an Idempotency-Key belongs to the token that it came with",
    async run(subject) {
      // A backend that runs elsewhere may have a single token.
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

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** The bytes of a request without the header that all others carry. */
function anonymous(sent: Sent): Buffer {
  return Buffer.from(
    message(sent)
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
