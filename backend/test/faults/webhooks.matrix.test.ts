import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { build, type Plugin } from "esbuild";
import { createOptions } from "../../kit/build/build.ts";
import { github } from "../../kit/suite/webhooks/senders/github.ts";
import { Backend, type Environment, temporaryFolder } from "../../kit/test/backend.ts";
import { everyDatabase } from "../../kit/test/databases.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { isInThisRun } from "../support/matrix.ts";

const databases = await everyDatabase();
const bundle = await bundleWithOwnHandlers();

for (const [kind, newDatabase] of databases.entries().filter(([kind]) => isInThisRun(kind === "PostgreSQL")))
  describe(`webhooks on ${kind}`, { concurrency: true, timeout: 120_000 }, () => {
    test("survive kill -9: each acknowledged event is handled", async () => {
      const world = await newWorld({ WEBHOOK_HANDLER_TIMEOUT_MS: "4000" });
      const killed = await world.start();
      const ids: string[] = [];
      const senders = Array.from({ length: 4 }, async () => {
        while (killed.process.exitCode === null && killed.process.signalCode === null) {
          const id = randomUUID();
          const status = await deliver(killed, id, { waitMs: 20 }).catch(() => 0);
          if (status === 202) ids.push(id);
        }
      });
      await eventually(() => ids.length >= 60, "60 events to be acknowledged");
      assert.equal(await killed.stop("SIGKILL"), null);
      await Promise.all(senders);
      using _ = await world.start();
      await eventually(() => ids.every((id) => world.ended(id) >= 1), "every event to be handled", 60_000);
      const again = ids.filter((id) => world.ended(id) > 1);
      assert.ok(again.length <= 10, `${again.length} were handled twice: more than were claimed at the time`);
    });

    test("that are delivered again, even after a restart, are handled once", async () => {
      const world = await newWorld();
      const id = randomUUID();
      for (let times = 0; times < 2; times++) {
        using backend = await world.start();
        for (let times = 0; times < 3; times++) assert.equal(await deliver(backend, id, {}), 202);
        await eventually(() => world.ended(id) >= 1, "the event to be handled");
        assert.equal(await backend.stop(), 0);
      }
      assert.equal(world.ended(id), 1);
    });

    test("are handled to the end when the backend stops", async () => {
      const world = await newWorld();
      using backend = await world.start();
      const id = randomUUID();
      await deliver(backend, id, { waitMs: 1500 });
      await eventually(() => world.begun(id) === 1, "the handler to begin");
      assert.equal(await backend.stop(), 0);
      assert.equal(world.ended(id), 1);
    });

    test("are handled by another process if a stop ended their handler at the shutdown limit", async () => {
      const world = await newWorld({ SHUTDOWN_TIMEOUT_MS: "300", WEBHOOK_HANDLER_TIMEOUT_MS: "5000" });
      using backend = await world.start();
      const id = randomUUID();
      await deliver(backend, id, { hangs: 1 });
      await eventually(() => world.begun(id) === 1, "the handler to begin");
      assert.equal(await backend.stop(), 1);
      using _ = await world.start();
      await eventually(() => world.ended(id) === 1, "the event to be handled", 60_000);
    });

    test("are retried if their handler throws in a timer, and the backend keeps serving", async () => {
      const world = await newWorld({ WEBHOOK_RETRY_MS: "1" });
      using backend = await world.start();
      const [bad, good] = [randomUUID(), randomUUID()];
      await deliver(backend, good, { waitMs: 300 });
      await deliver(backend, bad, { crashes: 2 });
      await eventually(() => world.ended(bad) === 1 && world.ended(good) === 1, "both events to be handled");
      assert.deepEqual([world.begun(bad), world.begun(good)], [3, 1]);
      assert.equal((await fetch(`${backend.url}/health`)).status, 200);
      const reports = backend.logged.filter((line) => line.includes("threw where nothing catches it"));
      assert.equal(reports.filter((line) => line.includes(bad) && line.includes('"level":"error"')).length, 2);
      assert.equal(await backend.stop(), 0);
    });

    test("do not keep a backend from ending after an uncaught error that is not a handler's", async () => {
      const world = await newWorld({ WEBHOOK_HANDLER_TIMEOUT_MS: "600000", SHUTDOWN_TIMEOUT_MS: "600000" });
      using backend = await world.start();
      const id = randomUUID();
      await deliver(backend, id, { waitMs: 600_000 });
      await eventually(() => world.begun(id) === 1, "the handler to begin");
      assert.equal(await backend.stop("SIGUSR2"), 1);
      assert.ok(backend.logged.some((line) => line.includes("stopping after an unhandled error")));
    });

    test("are handled by one of several replicas at a time", async () => {
      const world = await newWorld({ WEBHOOK_RETRY_MS: "1" });
      using one = await world.start();
      using two = await world.start();
      const ids = Array.from({ length: 60 }, () => randomUUID());
      await Promise.all(
        ids.flatMap((id, index) =>
          [one, two].map((backend) => deliver(backend, id, { waitMs: 5, failures: index % 3 })),
        ),
      );
      await eventually(() => ids.every((id) => world.ended(id) > 0), "every event to be handled");
      for (const [index, id] of ids.entries()) {
        const attempts = Array.from({ length: (index % 3) + 1 }, (_, attempt) => `begin ${id} ${attempt + 1}`);
        assert.deepEqual(
          world.lines().filter((line) => line.includes(id)),
          [...attempts, `end ${id} ${attempts.length}`],
        );
      }
    });

    /** A database, a journal, and backends on them. */
    async function newWorld(more: Environment = {}) {
      const journal = join(temporaryFolder(), "journal");
      writeFileSync(journal, "");
      const env = { DATABASE_URL: await newDatabase(), JOURNAL: journal, ...more };
      const lines = () => readFileSync(journal, "utf8").trimEnd().split("\n");
      const count = (text: string) => lines().filter((line) => line.startsWith(text)).length;
      return {
        start: () => Backend.start(env, ["sh", "-c", `exec "$0" '${bundle}'`]),
        lines,
        begun: (id: string) => count(`begin ${id} `),
        ended: (id: string) => count(`end ${id} `),
      };
    }
  });

async function deliver({ url }: Backend, id: string, payload: object): Promise<number> {
  const message = { headers: { "X-GitHub-Delivery": id, "X-GitHub-Event": "test" }, body: JSON.stringify(payload) };
  const headers = { "Content-Type": "application/json", ...github.sign(message, github.fakes[0], 0) };
  return (await fetch(`${url}/webhooks/github`, { method: "POST", headers, body: message.body })).status;
}

/** The backend with the handlers of these tests instead of the owner's. */
async function bundleWithOwnHandlers(): Promise<string> {
  const folder = temporaryFolder();
  const root = join(import.meta.dirname, "../..");
  symlinkSync(join(dirname(root), "node_modules"), join(folder, "node_modules"));
  const handlers: Plugin = {
    name: "handlers",
    setup: ({ onResolve }) =>
      onResolve({ filter: /\/webhooks\/handlers\.ts$/ }, () => ({
        path: join(import.meta.dirname, "webhook-handlers.ts"),
      })),
  };
  const place = { absWorkingDir: root, entryPoints: ["src/main.ts"], outdir: folder };
  const options = createOptions();
  const plugins = [handlers, ...(options.plugins ?? []).filter(({ name }) => name === "own files")];
  await build({ ...options, ...place, plugins, packages: "external" });
  return join(folder, "main.cjs");
}
