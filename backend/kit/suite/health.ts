import assert from "node:assert/strict";
import { type Check, each, expectJson, expectNotFound, type Running, send } from "./suite.ts";

export const healthChecks: Check<Running>[] = [
  {
    name: "GET /health answers 200",
    async run(subject) {
      const reply = await send(subject, { path: "/health" });
      assert.deepEqual(expectJson(reply, 200), { status: "ok" });
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
  {
    name: "/health has no other spelling",
    async run(subject) {
      await each(["/health/", "/HEALTH", "//health", "/healt%68", "/x/../health"], async (path) => {
        expectNotFound(await send(subject, { path }), path);
      });
    },
  },
];
