import assert from "node:assert/strict";
import { test } from "node:test";
import { findCause } from "../../src/publish/cause.ts";
import { explain, type Instance } from "../../src/publish/snapshot.ts";

const frames = Array.from({ length: 9 }, (_, line) => `    at parse (/app/main.cjs:${line}:7)`);
const entry = (members: object) => JSON.stringify({ time: "2026-01-01T00:00:00.000Z", ...members });
const listening = entry({ level: "info", message: "listening", port: 3000 });

const logs: [name: string, lines: string[], cause: string | undefined][] = [
  [
    "an error with a stack and members",
    [
      'error: password authentication failed for user "shop"',
      ...frames,
      "    at end (/app/main.cjs:9:1) {",
      "  length: 104,",
      "  severity: 'FATAL',",
      "  code: '28P01'",
      "}",
    ],
    'error: password authentication failed for user "shop"',
  ],
  [
    "an exception that nobody caught",
    [
      "/app/main.cjs:3",
      "    throw new Error('no key');",
      "    ^",
      "",
      "Error: no key",
      ...frames,
      "",
      "Node.js v26.1.0",
    ],
    "Error: no key",
  ],
  [
    "the cause inside of an error",
    ["Error: The store cannot be opened", ...frames, "  [cause]: Error: connect ECONNREFUSED 10.0.0.7:5432", ...frames],
    "Error: connect ECONNREFUSED 10.0.0.7:5432",
  ],
  [
    "a line of a structured log",
    [
      listening,
      entry({
        level: "error",
        message: "stopping after an unhandled error",
        error: {
          name: "Error",
          message: "out of handles",
          stack: "Error: out of handles\n    at x",
          cause: { message: "EMFILE" },
        },
      }),
      entry({ level: "info", message: "stopping" }),
    ],
    "stopping after an unhandled error: out of handles: EMFILE",
  ],
  ["pino's levels, behind what a platform writes", ['2026 app[17] lax [info] {"level":60,"msg":"no disk"}'], "no disk"],
  [
    "the error, not the request that it failed",
    [
      entry({ level: "error", message: "the database does not answer" }),
      entry({ level: "error", message: "request", status: 503 }),
    ],
    "the database does not answer",
  ],
  [
    "a warning with an error, if there is nothing worse than failed requests",
    [
      entry({
        level: "warn",
        message: "the database cannot be used yet",
        error: { message: "getaddrinfo ENOTFOUND db" },
      }),
      entry({ level: "error", message: "request", status: 503 }),
    ],
    "the database cannot be used yet: getaddrinfo ENOTFOUND db",
  ],
  [
    "a warning with a reason, as backends write it",
    [
      entry({
        level: "warn",
        message: "the database cannot be used yet",
        reason: "connect ECONNREFUSED 127.0.0.1:1",
        code: "ECONNREFUSED",
      }),
      entry({ level: "error", message: "request", status: 503 }),
    ],
    "the database cannot be used yet: connect ECONNREFUSED 127.0.0.1:1",
  ],
  [
    "that of a migration, not a warning before it",
    [
      entry({ level: "warn", message: "a change of the tables waits for others who use them", pauseMs: 1000 }),
      'migrations/0001-a.postgres.sql, line 1: syntax error at or near "TABEL". Nothing of this file is applied.',
    ],
    'migrations/0001-a.postgres.sql, line 1: syntax error at or near "TABEL". Nothing of this file is applied.',
  ],
  [
    "a plain sentence",
    ["starting", "LOG_LEVEL must be one of debug, info", "bye"],
    "LOG_LEVEL must be one of debug, info",
  ],
  ["the last line, if none sounds like an error", ["starting", "bye"], "bye"],
  ["nothing in a log without errors", [listening, ""], undefined],
];

for (const [name, lines, cause] of logs)
  test(`the line that says why is ${name}`, () => assert.equal(findCause(lines), cause));

const crashed: Instance = {
  id: "shop-1",
  service: "shop",
  isCurrent: true,
  isReady: true,
  restarts: 1,
  state: "Running",
  lines: ["Error: no key", ...frames],
};

test("an instance that crashed and is ready again is explained, with the cause in the first line", () => {
  const [first, ...rest] = explain("It crashed.", { services: [], instances: [crashed] }).split("\n");
  assert.equal(first, "It crashed. Its log says: Error: no key");
  assert.equal(rest.filter((line) => line.includes("at parse")).length, 8);
});
