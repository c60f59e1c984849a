import assert from "node:assert/strict";
import { isDescribed } from "./document.ts";
import {
  type Check,
  each,
  exchange,
  expectJson,
  expectNoCatchAll,
  expectNoPlugin,
  expectNotFound,
  expectProblem,
  send,
} from "./suite.ts";

const someOtherPaths = [
  "/",
  "//",
  "/%zz",
  "/%",
  "/%c0%af",
  "/%ff",
  "/healthz",
  "/favicon.ico",
  "/__proto__",
  "/constructor",
  "/toString",
  "/openapi.json",
  `/${"a".repeat(8000)}`,
];

const endings = [
  "//",
  "%2f",
  "%2F",
  "/.",
  "/..",
  "/1",
  "/01a1dfb5-23f9-7600-89d4-567e85082e75",
  "/__proto__",
  ".json",
  ";a=b",
  "&limit=1",
  "#x",
  "%3flimit=1",
  "%00",
  "%20",
  "%",
  "\\",
];

const badAuthorities = ["[", "", "a%00", "a:99999", "a:", "%61", "a b", "user@a", "[::1"];

export const routeChecks: Check[] = [
  {
    name: "GET answers a page",
    async run(subject) {
      const page = expectJson(await send(subject, {}), 200);
      assert.deepEqual(Object.keys(page), ["items", "nextCursor"]);
      assert.ok(Array.isArray(page.items));
    },
  },
  {
    name: "a method that HTTP does not know, and CONNECT, are 400",
    async run(subject) {
      const { path } = subject;
      const lines = ["FOO", "get", "Post", "GETX", "CONNECT"].map((method) => `${method} ${path}`);
      await each([...lines, "CONNECT localhost:80"], async (line) => {
        const reply = await exchange(subject, `${line} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
        expectProblem(reply, 400, "bad_request");
      });
    },
  },
  {
    name: "every other path, and every other spelling of a path, is 404",
    async run(subject) {
      const { path, document } = subject;
      const more = [
        `/%2f${path.slice(1)}`,
        `/.${path}`,
        `${path}/..${path}`,
        `/x/%2e%2e${path}`,
        `/\\${path.slice(1)}`,
      ];
      const others = [...someOtherPaths, ...otherSpellings(path), ...more, ...endings.map((ending) => path + ending)];
      const unknown = others.filter((other) => !isDescribed(document, other));
      await each(unknown, async (other) => {
        for (const method of ["GET", "POST", "OPTIONS", "DELETE"]) {
          const reply = await send(subject, { path: other, method });
          if (method === "OPTIONS") expectNoPlugin(reply);
          expectNotFound(reply, `${method} ${other}`);
        }
      });
      expectNotFound(await send(subject, { path: "*", method: "OPTIONS" }), "OPTIONS *");
    },
  },
  {
    name: "HEAD on another path is 404 without a body",
    async run(subject) {
      const reply = await send(subject, { path: "/nowhere/", method: "HEAD" });
      expectNoCatchAll(reply, "HEAD /nowhere/");
      assert.equal(reply.status, 404);
    },
  },
  {
    name: "the absolute form of a request target reaches the route, if its host is valid",
    async run(subject) {
      const { path } = subject;
      await each(["http://localhost", "https://localhost", "HTTP://a:65535", "http://[::1]:80"], async (origin) => {
        expectJson(await send(subject, { path: origin + path }), 200);
      });
      expectProblem(await send(subject, { path: `http://localhost/x/..${path}` }), 404, "not_found");
      await each(badAuthorities, async (authority) => {
        expectProblem(await send(subject, { path: `http://${authority}${path}` }), 400, "bad_request");
      });
    },
  },
];

/** Paths that a careless router would treat as this one. */
export function otherSpellings(path: string): string[] {
  const encoded = `%${path.charCodeAt(1).toString(16)}`;
  const capital = path.slice(0, 2).toUpperCase() + path.slice(2);
  return [
    `${path}/`,
    path.toUpperCase(),
    capital,
    `/${path}`,
    `/${encoded}${path.slice(2)}`,
    `${path.slice(0, -1)}%${path.charCodeAt(path.length - 1).toString(16)}`,
    `/x/..${path}`,
  ];
}
