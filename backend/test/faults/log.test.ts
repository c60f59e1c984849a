import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Backend } from "../support/backend.ts";
import { create, get } from "../support/client.ts";
import { frameworks } from "../support/matrix.ts";
import { newSqliteFile } from "../support/sqlite.ts";

const plantedToken = "planted-token-of-at-least-32-characters";

describe("the log", { concurrency: 2 }, () => {
  for (const framework of frameworks) {
    test(`has a line for each request and nothing that was confided: ${framework}`, async () => {
      using backend = await Backend.start({
        FRAMEWORK: framework,
        DATABASE_URL: await newSqliteFile(),
        API_TOKENS: plantedToken,
      });
      const secrets = {
        Authorization: `Bearer ${plantedToken}`,
        "X-Signature": "planted-signature",
        "X-Request-Id": "one",
      };
      await create(backend.url, "planted-body", secrets);
      await create(backend.url, "planted-body", { Authorization: "Bearer planted-wrong-token" });
      await get(backend.url, "/items?limit=planted-query", secrets);
      await get(backend.url, "/planted-path", { Authorization: `Bearer ${plantedToken}` });
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
        ],
      );
      assert.equal(requests[0].requestId, "one");
      for (const { time, level, durationMs } of requests) {
        assert.equal(new Date(time).toISOString(), time);
        assert.equal(level, "info");
        assert.equal(typeof durationMs, "number");
      }
    });

    test(`tells an unforeseen error whole, and the client nothing of it: ${framework}`, async () => {
      const url = await newSqliteFile();
      using backend = await Backend.start({ FRAMEWORK: framework, DATABASE_URL: url });
      using database = new DatabaseSync(fileURLToPath(url));
      database.exec("DROP TABLE items");
      const { status, headers, body } = await get(backend.url, "/items");
      await backend.stop();

      assert.deepEqual([status, body.code], [500, "internal_error"]);
      assert.match(`${headers["content-type"]}`, /^application\/problem\+json/);
      assert.doesNotMatch(JSON.stringify(body), /no such table|sqlite|at \w+/i);
      const told = backend.logged.find((line) => line.includes("no such table"));
      const { level, requestId } = JSON.parse(told ?? "{}");
      assert.deepEqual([level, requestId], ["error", headers["x-request-id"]]);
    });
  }
});
