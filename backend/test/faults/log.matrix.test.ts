import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Backend } from "../../kit/test/backend.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import { type Answer, create, get } from "../support/client.ts";
import { oneOfEachKind } from "../support/matrix.ts";

const plantedToken = "planted-token-of-at-least-32-characters";

describe("the log", { concurrency: 2 }, () => {
  for (const framework of oneOfEachKind)
    test(`has a line for each request, the details of an unexpected error, and no secret: ${framework}`, async () => {
      const url = await newSqliteFile();
      using backend = await Backend.start({ FRAMEWORK: framework, DATABASE_URL: url, API_TOKENS: plantedToken });
      const secrets = {
        Authorization: `Bearer ${plantedToken}`,
        "X-Signature": "planted-signature",
        "X-Request-Id": "one",
      };
      await create(backend.url, "planted-body", secrets);
      await create(backend.url, "planted-body", { Authorization: "Bearer planted-wrong-token" });
      await get(backend.url, "/items?limit=planted-query", secrets);
      await get(backend.url, "/planted-path", { Authorization: `Bearer ${plantedToken}` });
      using database = new DatabaseSync(fileURLToPath(url));
      database.exec("DROP TABLE items");
      const failed = await get(backend.url, "/items", { Authorization: `Bearer ${plantedToken}` });
      await backend.stop();

      assert.doesNotMatch(backend.logged.join("\n"), /planted/);
      const requests = backend.logged.map((line) => JSON.parse(line)).filter(({ message }) => message === "request");
      assert.deepEqual(
        requests.map(({ method, route, status }) => [method, route, status]),
        [
          ["POST", "/items", 201],
          ["POST", "/items", 401],
          ["GET", "/items", 400],
          ["GET", null, 404],
          ["GET", "/items", 500],
        ],
      );
      assert.equal(requests[0].requestId, "one");
      for (const { time, level, status, durationMs } of requests) {
        assert.equal(new Date(time).toISOString(), time);
        assert.equal(level, status === 500 ? "error" : "info");
        assert.equal(typeof durationMs, "number");
      }
      expectDetailsInLog(backend.logged, failed);
    });
});

/** Checks that the log has the details of an unexpected error, and the answer has none. */
function expectDetailsInLog(logged: string[], { status, headers, body }: Answer): void {
  assert.deepEqual([status, body.code], [500, "internal_error"]);
  assert.match(`${headers["content-type"]}`, /^application\/problem\+json/);
  assert.doesNotMatch(JSON.stringify(body), /no such table|sqlite|at \w+/i);
  const line = logged.find((one) => one.includes("no such table"));
  const { level, requestId } = JSON.parse(line ?? "{}");
  assert.deepEqual([level, requestId], ["error", headers["x-request-id"]]);
}
