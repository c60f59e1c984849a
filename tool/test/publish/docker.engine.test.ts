import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { takeLease } from "../../src/publish/engine/lease.ts";
import { switchTo } from "../../src/publish/engine/state.ts";
import { findProcessSpace } from "../../src/publish/holder.ts";
import { repository } from "../support.ts";
import {
  change,
  docker,
  type Ended,
  newProject,
  noEngine,
  onlyGood,
  runDory,
  underLoad,
  unpublish,
} from "./support.ts";

const application = "dory-test-engine";
const port = 18_180;
const url = `http://localhost:${port}`;
const quickly = ["publish", "--port", String(port), "--watch-seconds", "1", "--no-smoke"];

describe("dory publish to an engine", { skip: noEngine }, () => {
  let folder: string;
  let planned: Ended;
  let first: Ended;
  before(async () => {
    folder = await newProject(application);
    // What a run that was cut off left behind.
    await unpublish(folder);
    planned = await publish("--plan");
    assert.equal(await docker("images", "-q", application), "", "a plan changes nothing");
    assert.deepEqual(await live(), [], "a plan changes nothing");
    // What a trial that was cut off left behind.
    const left = ["--label", `dory.smoke=${findProcessSpace()} 999999999`, `dory-smoke-left-${process.pid}`];
    await docker("network", "create", ...left);
    await docker("volume", "create", ...left);
    // What may belong to a trial of somebody else, in a container with the same name.
    await docker("volume", "create", "--label", "dory.smoke=elsewhere 999999999", `dory-smoke-other-${process.pid}`);
    first = await runDory(folder, ["publish", "--port", String(port), "--watch-seconds", "1"]);
    assert.equal(first.code, 0, first.stdout + first.stderr);
  });
  after(() => unpublish(folder));

  const publish = (...flags: string[]) => runDory(folder, [...quickly, "--force", ...flags]);
  const live = async () => lines("ps", "--format", "{{.Names}}");
  const health = async () => (await fetch(`${url}/health`)).status;
  const releases = async (): Promise<{ id: string; status: string; at: string }[]> =>
    JSON.parse((await runDory(folder, ["releases", "--json"])).stdout).releases;

  async function lines(...args: string[]): Promise<string[]> {
    const [command = "", ...rest] = args;
    const [verb = [], flags = rest] = command === "volume" ? [[rest[0] ?? ""], rest.slice(1)] : [];
    const found = await docker(command, ...verb, "--filter", `label=dory.application=${application}`, ...flags);
    return found.split("\n").filter(Boolean);
  }

  async function published(...flags: string[]): Promise<string> {
    const { code, stdout, stderr } = await publish(...flags);
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }

  test("a plan prints what would happen and changes nothing", () => {
    assert.equal(planned.code, 0, planned.stderr);
    assert.match(planned.stdout, /live now: nothing/);
  });

  test("the first release is built, tested against the contract, and served at the URL on the last line", async () => {
    assert.match(first.stdout, /✓ Test dory-test-engine/);
    assert.equal(first.stdout.trimEnd().split("\n").at(-1), url);
    assert.equal(await health(), 200);
  });

  test("the first release prints what docs/publishing.md shows", () => {
    const guide = readFileSync(join(repository, "docs/publishing.md"), "utf8");
    const [, shown = ""] = /```console\n\$ npx dory publish\n(.*?)```/s.exec(guide) ?? [];
    const withoutFigures = (text: string) =>
      text
        .replaceAll(/^….*\n/gm, "")
        .replaceAll(application, "my-api")
        .replaceAll(/(?<=commit )\w+|(?<=\()[\d.]+(?= s\))|(?<=Watch it for )\d+|(?<=localhost:)\d+/g, "…");
    assert.equal(withoutFigures(first.stdout), withoutFigures(shown));
  });

  test("a trial removes what one that was cut off left behind", async () => {
    assert.equal(await docker("network", "ls", "-q", "--filter", `name=dory-smoke-left-${process.pid}`), "");
    assert.equal(await docker("volume", "ls", "-q", "--filter", `name=dory-smoke-left-${process.pid}`), "");
    await docker("volume", "rm", `dory-smoke-other-${process.pid}`);
  });

  test("it runs without privileges that it does not need, and without its own port", async () => {
    const [{ HostConfig, Config, NetworkSettings }] = JSON.parse(await docker("inspect", ...(await live())));
    assert.equal(HostConfig.ReadonlyRootfs, true);
    assert.deepEqual(HostConfig.CapDrop, ["ALL"]);
    assert.deepEqual(HostConfig.SecurityOpt, ["no-new-privileges"]);
    assert.equal(HostConfig.Init, true);
    assert.ok(HostConfig.Memory > 0 && HostConfig.PidsLimit > 0);
    assert.equal(Config.User, "65532");
    assert.deepEqual(NetworkSettings.Ports, { "3000/tcp": null });
    const [proxy] = JSON.parse(await docker("inspect", `dory-proxy-${port}`));
    assert.equal(proxy.HostConfig.PortBindings["8080/tcp"][0].HostIp, "127.0.0.1");
  });

  test("what is live already is not released again", async () => {
    const serving = await live();
    const { code, stdout, stderr } = await runDory(folder, quickly);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /Nothing changed: r\d+ is live/);
    assert.deepEqual(await live(), serving);
  });

  test("releases, a rollback and many switches lose no request, also of clients that keep their connections", async () => {
    const answers = await underLoad(url, async () => {
      await published();
      const before = await idOfLive();
      change(folder, "dory.json", (request) => (request.publish = { env: { LOG_LEVEL: "warn" } }));
      assert.match((await publish("--plan")).stdout, /changes in variable LOG_LEVEL/);
      await published();
      change(folder, "dory.json", (request) => (request.publish = {}));
      assert.match(await envOfLive(), /LOG_LEVEL=warn/);
      await switchManyTimes();
      const { code, stdout, stderr } = await runDory(folder, ["rollback", "--watch-seconds", "0"]);
      assert.equal(code, 0, stdout + stderr);
      assert.match(stdout, new RegExp(`r\\d+ is live, restored from ${before}`));
      assert.doesNotMatch(await envOfLive(), /LOG_LEVEL/);
    });
    onlyGood(answers);
    assert.equal((await live()).length, 1);
  });

  /** Switches to a copy of the release, and back. */
  async function switchManyTimes(): Promise<void> {
    const options = { isWaiting: true, healthMs: 1000, watchMs: 0, interrupted: new AbortController().signal };
    const copy = `${application}-copy`;
    const { id, services } = JSON.parse((await runDory(folder, ["releases", "--json"])).stdout).releases.at(-1);
    const lease = await takeLease(application, options, () => {});
    try {
      const network = ["--network", `dory-to-${application}`, "--network-alias", `copy.${application}`];
      const data = ["-v", `${application}--${application}-app-data:/app/data`];
      await docker("run", "-d", "--name", copy, ...network, ...data, services[0].image);
      while ((await docker("inspect", "-f", "{{.State.Health.Status}}", copy)) !== "healthy");
      for (let count = 0; count < 20; count++) await switchTo(lease, application, count % 2 === 0 ? "copy" : id);
    } finally {
      // As a release ends: some time after the switch, and what it still answers may take its time on a busy machine.
      await sleep(2000);
      await docker("stop", "-t", "30", copy);
      await docker("rm", "-f", copy);
      await lease.release();
    }
  }

  test("data survives releases", async () => {
    assert.ok(((await (await fetch(`${url}/items`)).json()) as { items: object[] }).items.length > 0);
  });

  test("a release that does not become healthy leaves the old one serving, and reports why", async () => {
    const serving = await live();
    change(folder, "dory.json", (request) => (request.publish = { env: { LOG_LEVEL: "loud" } }));
    const answers = await underLoad(url, async () => {
      const { code, stderr } = await publish();
      assert.equal(code, 1);
      assert.match(stderr, /ended with exit code 1[\s\S]*LOG_LEVEL must be one of/);
      assert.doesNotMatch(stderr, /OCI runtime/);
      assert.match(stderr, /Nothing was changed\. \(unhealthy\)/);
    });
    change(folder, "dory.json", (request) => (request.publish = {}));
    onlyGood(answers);
    assert.deepEqual(await live(), serving);
  });

  test("status is data, and logs are of what is live", async () => {
    assert.match((await runDory(folder, ["status"])).stdout, /r\d+ at http[\s\S]*1 of 1 ready[\s\S]*running/);
    const { live } = JSON.parse((await runDory(folder, ["status", "--json"])).stdout);
    assert.deepEqual([live.release.id, live.url, live.outside.status], [await idOfLive(), url, 200]);
    assert.deepEqual([live.instances[0].isReady, live.instances[0].restarts], [true, 0]);
    await fetch(`${url}/items`);
    assert.match((await runDory(folder, ["logs", "--lines", "5"])).stdout, /"route":"\/items"/);
  });

  test("an image that cannot be built changes nothing, and the build's output is shown", async () => {
    const dockerfile = join(folder, "Dockerfile");
    const text = readFileSync(dockerfile, "utf8");
    writeFileSync(dockerfile, text.replace("RUN npm run build", "RUN npm run no-such-script"));
    const { code, stderr } = await publish();
    writeFileSync(dockerfile, text);
    assert.equal(code, 1);
    assert.match(stderr, /no-such-script[\s\S]*\(build_failed\)/);
    assert.equal(await health(), 200);
  });

  test("unpublish removes it and keeps its data, can be run again, and deletes data only on request", async () => {
    const data = `${application}--${application}-app-data`;
    // An image that somebody else has given this name.
    await docker("tag", "caddy:2", `${application}:others`);
    const first = await runDory(folder, ["unpublish"]);
    assert.equal(first.code, 0, first.stderr);
    assert.match(first.stdout, new RegExp(`Its data stays: volume ${data}`));
    assert.deepEqual(await lines("ps", "-a", "-q"), []);
    assert.equal(await docker("images", "--format", "{{.Tag}}", application), "others");
    await docker("rmi", `${application}:others`);
    // The data belongs to the project, also now.
    change(folder, "dory.json", (request) => (request.id = "fedcba9876543210"));
    const other = await publish("--plan");
    change(folder, "dory.json", (request) => (request.id = "0123456789abcdef"));
    assert.equal(other.code, 1, other.stdout);
    assert.match(other.stderr, /was published here, and left its data.*--take-over once\. \(name_taken\)/);
    for (const network of [`dory-${port}`, `dory-to-${application}`])
      assert.equal(await docker("network", "ls", "-q", "--filter", `name=${network}`), "");
    const refused = await runDory(folder, ["unpublish", "--delete-data"]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, new RegExp(`deletes the data .*${data}.*--yes`));
    const last = await runDory(folder, ["unpublish", "--delete-data", "--yes"]);
    assert.equal(last.code, 0, last.stderr);
    assert.deepEqual(await lines("volume", "ls", "-q"), []);
    await refusesProjectOfSwarm();
  });

  /** The volumes of an application in the swarm of this engine have the same names. */
  async function refusesProjectOfSwarm(): Promise<void> {
    const history = `/dory/applications/${application}@swarm`;
    const record = JSON.stringify([{ id: "r1", status: "live", by: "ann@desk", at: "", project: "fedcba9876543210" }]);
    const inState = (script: string) => docker("run", "--rm", "-v", "dory:/dory", "caddy:2", "sh", "-c", script);
    await inState(`mkdir -p ${history} && echo '${record}' > ${history}/releases.json`);
    const { code, stderr } = await publish("--plan");
    await inState(`rm -r ${history}`);
    assert.equal(code, 1);
    assert.match(stderr, /\(name_taken\)/);
  }

  const envOfLive = async () => docker("inspect", "-f", "{{json .Config.Env}}", ...(await live()));
  const idOfLive = async () => (await releases()).find(({ status }) => status === "live")?.id ?? "";
});
