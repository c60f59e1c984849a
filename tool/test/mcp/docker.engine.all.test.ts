import assert from "node:assert/strict";
import { appendFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { change, newProject, noEngine, unpublish } from "../publish/support.ts";
import { run } from "../support.ts";
import { Assistant } from "./client.ts";

const application = "dory-test-mcp";
const port = 18_380;

describe("publishing to an engine through dory mcp", { skip: noEngine }, () => {
  let folder: string;
  let assistant: Assistant;
  before(async () => {
    folder = await newProject(application);
    await unpublish(folder);
    assistant = await Assistant.start("2026-07-28", dirname(folder));
  });
  after(async () => {
    await assistant.end();
    await unpublish(folder);
  });

  const plan = (more: object = {}) =>
    assistant.do("dory_plan", { folder: application, port, smoke: false, watchSeconds: 1, ...more });
  const publish = async (id: string) => assistant.do("dory_publish", { id });
  const fetchHealth = async () => (await fetch(`http://localhost:${port}/health`)).status;
  const commit = () =>
    run(folder, "git", "-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-qam", "More");

  test("publishes what was planned, refuses what was not, and goes back", async () => {
    const first = await publish((await plan()).id);
    assert.deepEqual([first.release, first.url, await fetchHealth()], ["r1", `http://localhost:${port}`, 200]);
    const { id: stale } = await plan();
    change(folder, "dory.json", (request) => Object.assign(request, { publish: { env: { LOG_LEVEL: "warn" } } }));
    await commit();
    assert.match(await assistant.refuse("dory_publish", { id: stale }), /the commit and the settings .* changed/);
    const { id, services } = await plan();
    assert.deepEqual(services[0].changes, ["variable LOG_LEVEL"]);
    assert.equal((await publish(id)).release, "r2");
    const { live } = await assistant.do("dory_status", { folder: application });
    assert.deepEqual([live.release, live.services[0].ready], ["r2", 1]);
    const back = await assistant.do("dory_plan", { folder: application, action: "rollback" });
    assert.equal(back.release, "r1");
    assert.equal((await assistant.do("dory_rollback", { id: back.id })).restores, "r1");
    assert.equal(await fetchHealth(), 200);
  });

  test("cancelled while it builds, changes nothing", async () => {
    appendFileSync(join(folder, "src/main.ts"), "// a line more\n");
    const { id, live } = await plan();
    const controller = new AbortController();
    const onProgress = (message: string) => message.startsWith("Build") && controller.abort();
    await assert.rejects(
      assistant.call(
        "dory_publish",
        { id },
        { signal: controller.signal, onProgress: (message) => void onProgress(message) },
      ),
    );
    const status = await assistant.do("dory_status", { folder: application });
    assert.equal(status.live.release, live);
    assert.equal(await fetchHealth(), 200);
  });
});
