import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually } from "../../../backend/kit/test/eventually.ts";
import { pruneContainers } from "../../src/publish/engine/prune.ts";
import { Dory, docker, newProject, noEngine, onlyGood, runDory, underLoad, unpublish } from "./support.ts";

const application = "dory-test-cut-off";
const port = 18_181;
const url = `http://localhost:${port}`;
const quickly = ["publish", "--port", String(port), "--watch-seconds", "1", "--no-smoke"];

describe("publishers that meet or are cut off", { skip: noEngine }, () => {
  let folder: string;
  before(async () => {
    folder = await newProject(application);
    await unpublish(folder);
    const { code, stdout, stderr } = await publish();
    assert.equal(code, 0, stdout + stderr);
  });
  after(() => unpublish(folder));

  const publish = () => runDory(folder, [...quickly, "--force"]);
  const health = async () => (await fetch(`${url}/health`)).status;
  const liveId = async () => {
    const { releases } = JSON.parse((await runDory(folder, ["releases", "--json"])).stdout);
    return releases.find(({ status }: { status: string }) => status === "live")?.id;
  };
  const containers = async (...flags: string[]) => {
    const found = await docker(
      "ps",
      ...flags,
      "--filter",
      `label=dory.application=${application}`,
      "--format",
      "{{.Names}}",
    );
    return found.split("\n").filter(Boolean);
  };

  test("the second of two at once reports who holds the lease, or waits for it; Ctrl-C removes what is not live", async () => {
    const first = new Dory(folder, [...quickly, "--force", "--json", "--watch-seconds", "8"]);
    await first.reached("start");
    const second = await publish();
    assert.equal(second.code, 1);
    assert.match(second.stderr, /\S+@\S+ \(since .*\) is publishing dory-test-cut-off.*\(lease_held\)/);
    const third = new Dory(folder, [...quickly, "--force", "--json", "--wait"]);
    // It starts only when the first is done.
    await third.reached("start");
    third.process.kill("SIGINT");
    const { code, stdout } = await third.ended();
    assert.equal(code, 1, stdout);
    assert.match(stdout, /"code":"interrupted"/);
    assert.equal((await first.ended()).code, 0);
    assert.equal((await containers()).length, 1);
    assert.equal(await health(), 200);
  });

  for (const moment of ["before it starts a container", "while it starts a container"])
    test(`a publisher that sleeps ${moment} leaves nothing beside the release that was published meanwhile`, async () => {
      const late = new Dory(folder, [...quickly, "--force", "--json", "--wait"]);
      await late.reached("start");
      const count = (await containers("-a")).length;
      if (moment.startsWith("while"))
        await eventually(async () => (await containers("-a")).length > count, "a container of the release");
      late.process.kill("SIGSTOP");
      const answers = await underLoad(url, async () => {
        // As if more than thirty seconds had passed.
        await docker("rm", "-f", `dory-lease-${application}`);
        assert.equal((await runDory(folder, [...quickly, "--force", "--wait"])).code, 0);
        const [serving] = await containers("-a");
        late.process.kill("SIGCONT");
        const { code, stdout } = await late.ended();
        assert.equal(code, 1, stdout);
        assert.match(stdout, /"code":"lease_lost"/);
        assert.deepEqual(await containers("-a"), [serving]);
        assert.match(serving ?? "", new RegExp(`--${await liveId()}$`));
      });
      onlyGood(answers);
    });

  test("a publisher that sleeps before it removes old containers removes none that was started meanwhile", async () => {
    const name = "dory-test-slept";
    const start = (container: string) =>
      docker("run", "-d", "--name", container, "--label", `dory.application=${name}`, "caddy:2", "sleep", "600");
    try {
      await start(`${name}--old`);
      await pruneContainers(name, undefined, {
        check: async () => void (await start(`${name}--new`)),
        release: async () => {},
      });
      assert.equal(await docker("ps", "--filter", `name=${name}--`, "--format", "{{.Names}}"), `${name}--new`);
    } finally {
      await docker("rm", "-f", `${name}--old`, `${name}--new`);
    }
  });

  for (const how of [["pause"], ["kill", "-s", "STOP"]])
    test(`a proxy that runs but does not listen is started again: docker ${how.join(" ")}`, async () => {
      await docker(...how, `dory-proxy-${port}`);
      const { code, stdout, stderr } = await publish();
      assert.equal(code, 0, stdout + stderr);
      assert.equal(await health(), 200);
    });

  test("at whatever step a publisher is killed, the next one recovers and leaves nothing behind", async () => {
    const answers = await underLoad(url, async () => {
      for (const step of ["start", "switch", "live"]) {
        const dory = new Dory(folder, [...quickly, "--force", "--json", "--wait"]);
        await dory.reached(step);
        await dory.kill();
        assert.equal(await health(), 200, step);
      }
      // What was not removed must be gone before the next one starts: it could be in the same slot.
      const left = `${application}--left`;
      await docker(
        "run",
        "-d",
        "--name",
        left,
        "--label",
        `dory.application=${application}`,
        "caddy:2",
        "sleep",
        "600",
      );
      const dory = new Dory(folder, [...quickly, "--force", "--json", "--wait"]);
      await dory.reached("health");
      assert.ok(!(await containers()).includes(left));
      assert.equal((await dory.ended()).code, 0);
    });
    onlyGood(answers);
    const { releases } = JSON.parse((await runDory(folder, ["releases", "--json"])).stdout);
    const all: { id: string; status: string }[] = releases;
    assert.equal(all.filter(({ status }) => status === "live").length, 1);
    assert.ok(!all.some(({ status }) => status === "pending"));
    assert.deepEqual(await containers("-a"), [`${application}--${all.find(({ status }) => status === "live")?.id}`]);
  });
});
