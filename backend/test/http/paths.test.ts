import assert from "node:assert/strict";
import { once } from "node:events";
import { get, type IncomingMessage, type ServerResponse } from "node:http";
import { after, before, describe, test } from "node:test";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import { logging } from "../../src/core/log.ts";
import { createTestServer } from "../support/server.ts";

const routes = ["/notes", "/notes/:id", "/files/*", "/files/list", "/docs/", "/tags/:id", "/tags/:id/"].map(
  (pattern) => ({
    method: "GET",
    pattern,
  }),
);

/** Paths that reach the app, and those that are another spelling of a route. */
const reached = [
  "/",
  "/static",
  "/static/",
  "/static/a/",
  "/files/",
  "/files/a/",
  "/docs/",
  "/tags/1/",
  "/notes/1",
  "/files/list",
  "/notes/a[1]|b",
];
const refused = [
  "/notes/",
  "/notes/1/",
  "/files/list/",
  "/tags//",
  "/static//",
  "//static/",
  "/static/./",
  "/files/../notes/",
];

describe("a slash at the end of a path", { timeout: 30_000 }, () => {
  const listener = (_req: IncomingMessage, res: ServerResponse) => res.end("reached");
  const server = createTestServer({ routes, listener });
  let port = 0;
  before(async () => {
    logging.level = "silent";
    port = await server.listen();
  });
  after(() => server.drain());

  for (const [paths, status] of [
    [reached, 200],
    [refused, 404],
  ] as const)
    test(`${status}: ${paths.join(" ")}`, async () => {
      for (const path of paths) {
        // `fetch` would normalise the path.
        const [answer] = await once(get({ port, path, headers: credentials, agent: false }), "response");
        answer.resume();
        assert.equal(answer.statusCode, status, path);
      }
    });
});
