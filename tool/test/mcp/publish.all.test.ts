import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { emptyApp } from "../publish/flyctl.ts";
import { projectFolder, record } from "../publish/recording.ts";
import { digest, planted, postgresSecret } from "../publish/target/world.ts";
import { Assistant, eras } from "./client.ts";

for (const era of eras)
  describe(`publishing through dory mcp, for a client of ${era},`, () => {
    const quickly = { target: "fly", smoke: false, watchSeconds: 0, healthSeconds: 60 };
    let fly: ReturnType<typeof record<ReturnType<typeof emptyApp>>>;
    let folder: string;
    let assistant: Assistant;
    const answers: unknown[] = [];

    before(async () => {
      record("docker", "docker.ts", {});
      fly = record("flyctl", "flyctl.ts", emptyApp());
      folder = projectFolder();
      setSecret(1);
      assistant = await Assistant.start(era, folder);
    });
    after(() => assistant.end());

    const setSecret = (number: number) =>
      writeFileSync(join(folder, ".env"), `DATABASE_URL="${postgresSecret(number)}"\n`);
    const plan = async (more: object = {}) => keep(await assistant.do("dory_plan", { ...quickly, ...more }));
    const publish = async (id: string) => keep(await assistant.do("dory_publish", { id }));
    const machines = () => fly.state().machines.length;
    // biome-ignore lint/suspicious/noExplicitAny: the result of any tool
    const keep = (value: any) => {
      answers.push(value);
      return value;
    };

    test("needs a plan, does what it says, and reports each step", async () => {
      const planned = await plan();
      assert.deepEqual(
        [planned.action, planned.live, planned.services[0].secrets],
        ["publish", null, ["DATABASE_URL"]],
      );
      assert.equal(machines(), 0, "a plan changes nothing");
      const progress: string[] = [];
      const options = { onProgress: (message: string) => void progress.push(message) };
      const published = keep(await assistant.do("dory_publish", { id: planned.id }, options));
      assert.deepEqual([published.release, published.url], ["r1", "https://shop.fly.dev"]);
      assert.ok(progress.includes("Build shop") && progress.length > 3, progress.join());
      assert.match(await assistant.refuse("dory_publish", { id: planned.id }), /it was used.*plan_unknown/);
    });

    test("refuses a plan that is void: after an edit, another value, another release", async () => {
      const { id: edited } = await plan();
      appendFileSync(join(folder, "src/main.ts"), "// more\n");
      assert.match(
        await assistant.refuse("dory_publish", { id: edited }),
        /the files of the project changed.*plan_void/,
      );
      const { id: revalued } = await plan();
      setSecret(2);
      assert.match(await assistant.refuse("dory_publish", { id: revalued }), /a value of a secret changed/);
      const [mine, theirs] = [await plan({ force: true }), await plan({ force: true })];
      assert.equal((await publish(theirs.id)).release, "r2");
      assert.match(await assistant.refuse("dory_publish", { id: mine.id }), /what is published at the target changed/);
    });

    test("shows what runs, and rolls back as planned", async () => {
      const before = keep(await assistant.do("dory_status", { target: "fly" }));
      assert.deepEqual([before.live.release, before.releases[0].id], ["r2", "r2"]);
      const failing = await assistant.refuse("dory_plan", { action: "rollback", target: "fly", release: "r7" });
      assert.match(failing, /There is no r7 to roll back to/);
      setSecret(2);
      await publish((await plan({ force: true })).id);
      const planned = await plan({ action: "rollback", smoke: true });
      assert.deepEqual([planned.release, planned.live], ["r2", "r3"]);
      assert.match(await assistant.refuse("dory_publish", { id: planned.id }), /is a plan for a rollback/);
      const done = keep(await assistant.do("dory_rollback", { id: planned.id }));
      assert.equal(done.restores, "r2");
    });

    test("cancelled, makes what was live run as before", async () => {
      fly.change((app) => app.stuck.push(digest("a")));
      appendFileSync(join(folder, "src/main.ts"), "// another\n");
      const { id } = await plan({ force: true });
      const controller = new AbortController();
      const call = assistant.call(
        "dory_publish",
        { id },
        {
          signal: controller.signal,
          onProgress: (message) => message.startsWith("Wait until it is healthy") && controller.abort(),
        },
      );
      await assert.rejects(call);
      fly.change((app) => (app.stuck = []));
      const isReverted = async () => {
        const { live, releases } = await assistant.do("dory_status", { target: "fly" });
        return live?.release === "r4" && releases.every(({ status }: { status: string }) => status !== "pending");
      };
      while (!(await isReverted())) await sleep(200);
    });

    test("never returns a value of a secret, nor prints one", () => {
      assert.ok(answers.length > 5 && !JSON.stringify(answers).includes(planted));
      assert.ok(!assistant.stderr.includes(planted));
    });
  });

test("a variable of the environment is a secret only if the person who started it says so", async () => {
  record("docker", "docker.ts", {});
  record("flyctl", "flyctl.ts", emptyApp());
  const folder = projectFolder();
  process.env["DATABASE_URL"] = postgresSecret(1);
  const [careful, trusting] = await Promise.all(
    [[], ["--env", "DATABASE_URL,UNKNOWN"]].map((flags) => Assistant.start("2026-07-28", folder, flags)),
  );
  delete process.env["DATABASE_URL"];
  assert.ok(careful && trusting);
  assert.match(await careful.refuse("dory_plan", { target: "fly" }), /add --env DATABASE_URL.*secret_not_allowed/);
  assert.equal((await trusting.do("dory_plan", { target: "fly" })).live, null);
  await careful.end();
  await trusting.end();
});
