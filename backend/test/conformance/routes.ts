import assert from "node:assert/strict";
import { type Check, each, exchange, expectJson, expectProblem, message, send } from "./suite.ts";

const allowed = { "/health": ["GET", "HEAD", "OPTIONS"], "/items": ["GET", "HEAD", "POST", "OPTIONS"] };

const otherMethods =
  "DELETE PUT PATCH TRACE COPY LOCK MKCOL MOVE PROPFIND PROPPATCH SEARCH UNLOCK BIND REBIND UNBIND ACL REPORT MKACTIVITY CHECKOUT MERGE M-SEARCH NOTIFY SUBSCRIBE UNSUBSCRIBE MKCALENDAR LINK UNLINK PURGE SOURCE QUERY".split(
    " ",
  );

const otherPaths = [
  "/",
  "/items/",
  "/health/",
  "/ITEMS",
  "/Items",
  "/HEALTH",
  "//items",
  "/items//",
  "//",
  "/items%2f",
  "/items%2F",
  "/%69tems",
  "/item%73",
  "/%2fitems",
  "/x/../items",
  "/./items",
  "/items/.",
  "/items/..",
  "/items/../items",
  "/x/%2e%2e/items",
  "/items/1",
  "/items/01a1dfb5-23f9-7600-89d4-567e85082e75",
  "/items.json",
  "/items;a=b",
  "/items&limit=1",
  "/items#x",
  "/items%3flimit=1",
  "/items%00",
  "/items%20",
  "/items%",
  "/%zz",
  "/%",
  "/%c0%af",
  "/%ff",
  "/items\\",
  "/\\items",
  "/healthz",
  "/favicon.ico",
  "/__proto__",
  "/constructor",
  "/toString",
  "/items/__proto__",
  "/openapi.json",
  `/${"a".repeat(8000)}`,
];

export const routeChecks: Check[] = [
  {
    name: "GET /health answers that all is well",
    async run(subject) {
      const reply = await send(subject, { path: "/health" });
      assert.deepEqual(expectJson(reply, 200), { status: "ok" });
    },
  },
  {
    name: "GET /items answers a page",
    async run(subject) {
      const page = expectJson(await send(subject, {}), 200);
      assert.deepEqual(Object.keys(page), ["items", "nextCursor"]);
      assert.ok(Array.isArray(page.items));
    },
  },
  {
    name: "HEAD works where GET does, without a body",
    async run(subject) {
      await each(Object.keys(allowed), async (path) => {
        const get = await send(subject, { path });
        const head = await send(subject, { path, method: "HEAD" });
        assert.equal(head.status, 200);
        assert.equal(head.headers["content-type"], get.headers["content-type"]);
        const both = Buffer.concat([message({ path, method: "HEAD" }), message({ path: "/nowhere" })]);
        assert.equal((await exchange(subject, both, { isHead: true })).status, 200);
      });
    },
  },
  {
    name: "OPTIONS on a route answers 204 with Allow",
    async run(subject) {
      await each(Object.entries(allowed), async ([path, methods]) => {
        const reply = await send(subject, { path, method: "OPTIONS" });
        assert.equal(reply.status, 204);
        assert.equal(reply.headers["allow"], methods.join(", "));
        assert.equal(reply.headers["content-length"], undefined);
        assert.equal(reply.headers["content-type"], undefined);
      });
    },
  },
  {
    name: "any other method on a route is 405 with Allow",
    async run(subject) {
      for (const [path, methods] of Object.entries(allowed)) {
        const others = path === "/health" ? [...otherMethods, "POST"] : otherMethods;
        await each(others, async (method) => {
          const reply = await send(subject, { path, method });
          expectProblem(reply, 405, "method_not_allowed");
          assert.equal(reply.headers["allow"], methods.join(", "));
        });
      }
    },
  },
  {
    name: "a method that HTTP does not know, and CONNECT, are 400",
    async run(subject) {
      const lines = [
        "FOO /items",
        "get /items",
        "Post /items",
        "GETX /items",
        "CONNECT localhost:80",
        "CONNECT /items",
      ];
      await each(lines, async (line) => {
        const reply = await exchange(subject, `${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        expectProblem(reply, 400, "bad_request");
      });
    },
  },
  {
    name: "every other path is 404, compared as it was sent",
    async run(subject) {
      await each(otherPaths, async (path) => {
        for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
          expectProblem(await send(subject, { path, method }), 404, "not_found");
        }
      });
      expectProblem(await send(subject, { path: "*", method: "OPTIONS" }), 404, "not_found");
    },
  },
  {
    name: "HEAD on another path is 404 without a body",
    async run(subject) {
      assert.equal((await send(subject, { path: "/nowhere", method: "HEAD" })).status, 404);
    },
  },
  {
    name: "the absolute form of a request target reaches the route",
    async run(subject) {
      expectJson(await send(subject, { path: "http://localhost/health" }), 200);
      expectProblem(await send(subject, { path: "http://localhost/x/../health" }), 404, "not_found");
    },
  },
  {
    name: "/health ignores its query",
    async run(subject) {
      await each(["?", "?x=1", "?limit=abc", "?limit=1&limit=2", "?%zz"], async (query) => {
        expectJson(await send(subject, { path: `/health${query}` }), 200);
      });
    },
  },
];
