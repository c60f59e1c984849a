import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { change, Dory, docker, Load, newProject, noEngine, runDory, unpublish } from "./support.ts";

const application = "dory-test-engine";
const port = 18_180;
const url = `http://localhost:${port}`;
const quickly = ["publish", "--port", String(port), "--watch-seconds", "1", "--no-smoke"];

describe("dory publish to an engine", { skip: noEngine }, () => {
  let folder: string;
  before(async () => {
    folder = await newProject(application);
  });
  after(() => unpublish(application, port));

  const publish = (...flags: string[]) => runDory(folder, [...quickly, ...flags]);
  const live = async () =>
    (await docker("ps", "--filter", `label=dory.application=${application}`, "--format", "{{.Names}}")).split("\n");
  const health = async () => (await fetch(`${url}/health`)).status;

  test("a plan tells what would happen and changes nothing", async () => {
    const { code, stdout } = await publish("--plan");
    assert.equal(code, 0);
    assert.match(stdout, /live now: nothing/);
    assert.deepEqual(await live(), [""]);
    assert.equal(await docker("images", "-q", application), "");
  });

  test("the first release is built, tried against the contract, and served at the URL on the last line", async () => {
    const left = ["--label", `dory.smoke=${hostname()} 999999999 0`, `dory-smoke-left-${process.pid}`];
    await docker("network", "create", ...left);
    await docker("volume", "create", ...left);
    const { code, stdout, stderr } = await runDory(folder, ["publish", "--port", String(port), "--watch-seconds", "1"]);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /✓ Try dory-test-engine as it will run/);
    assert.equal(stdout.trimEnd().split("\n").at(-1), url);
    assert.equal(await health(), 200);
    assert.deepEqual(await live(), [`${application}-r1`]);
  });

  test("what a trial that was cut off left behind is cleared away", async () => {
    assert.equal(await docker("network", "ls", "-q", "--filter", `name=dory-smoke-left-${process.pid}`), "");
    assert.equal(await docker("volume", "ls", "-q", "--filter", `name=dory-smoke-left-${process.pid}`), "");
  });

  test("it runs without rights that it does not need, and without a port of its own", async () => {
    const [{ HostConfig, Config, NetworkSettings }] = JSON.parse(await docker("inspect", `${application}-r1`));
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

  test("twenty releases in a row lose no request, also of clients that keep their connections", async () => {
    const load = new Load(url);
    for (let count = 0; count < 20; count++) {
      const { code, stdout, stderr } = await publish("--watch-seconds", "0");
      assert.equal(code, 0, stdout + stderr);
    }
    const answers = await load.stop();
    assert.deepEqual(Object.keys(answers).sort(), ["GET 200", "POST 201"], JSON.stringify(answers));
    assert.deepEqual(await live(), [`${application}-r21`]);
  });

  test("data survives releases, and five of them are kept", async () => {
    assert.ok(((await (await fetch(`${url}/items`)).json()) as { items: object[] }).items.length > 0);
    const { stdout } = await runDory(folder, ["releases", "--json"]);
    const { releases } = JSON.parse(stdout);
    assert.deepEqual(
      releases.map(({ id }: { id: string }) => id),
      ["r17", "r18", "r19", "r20", "r21"],
    );
    const tags = (await docker("images", "--format", "{{.Tag}}", application))
      .split("\n")
      .filter((tag) => /^r\d/.test(tag));
    assert.deepEqual(tags.sort(), ["r17", "r18", "r19", "r20", "r21"]);
  });

  test("a release that does not become healthy leaves the old one serving, and says why", async () => {
    change(folder, "dory.json", (request) => (request.publish = { env: { LOG_LEVEL: "loud" } }));
    const load = new Load(url);
    const { code, stderr } = await publish();
    const answers = await load.stop();
    assert.equal(code, 1);
    assert.match(stderr, /LOG_LEVEL must be one of/);
    assert.match(stderr, /Last health answer/);
    assert.match(stderr, /Nothing was changed\. \(unhealthy\)/);
    assert.deepEqual(Object.keys(answers).sort(), ["GET 200", "POST 201"]);
    assert.deepEqual(await live(), [`${application}-r21`]);
  });

  test("what changed can be read in the plan, and rollback brings back image and configuration", async () => {
    change(folder, "dory.json", (request) => (request.publish = { env: { LOG_LEVEL: "warn" } }));
    assert.match((await publish("--plan")).stdout, /changes in variable LOG_LEVEL/);
    assert.equal((await publish()).code, 0);
    assert.match(await envOf(`${application}-r23`), /LOG_LEVEL=warn/);
    const { code, stdout } = await runDory(folder, ["rollback", "--watch-seconds", "0"]);
    assert.equal(code, 0);
    assert.match(stdout, /r24 is live, as r21 was/);
    assert.doesNotMatch(await envOf(`${application}-r24`), /LOG_LEVEL/);
    assert.equal(await health(), 200);
  });

  test("status and logs tell of what is live", async () => {
    assert.match((await runDory(folder, ["status"])).stdout, /r24 at http[\s\S]*running/);
    await fetch(`${url}/items`);
    assert.match((await runDory(folder, ["logs", "--lines", "5"])).stdout, /"route":"\/items"/);
  });

  test("a release that crashes while it is watched is taken back", async () => {
    const main = join(folder, "src/main.ts");
    const source = readFileSync(main, "utf8");
    writeFileSync(main, `${source}setTimeout(() => process.exit(7), 6000);\n`);
    const { code, stderr } = await publish("--watch-seconds", "20");
    writeFileSync(main, source);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /The release before serves again\. \(crashed\)/);
    assert.equal(await health(), 200);
    assert.deepEqual(await live(), [`${application}-r24`]);
  });

  test("an image that cannot be built changes nothing, and the build's words are shown", async () => {
    const dockerfile = join(folder, "Dockerfile");
    const text = readFileSync(dockerfile, "utf8");
    writeFileSync(dockerfile, text.replace("RUN npm run build", "RUN npm run no-such-script"));
    const { code, stderr } = await publish();
    writeFileSync(dockerfile, text);
    assert.equal(code, 1);
    assert.match(stderr, /no-such-script[\s\S]*\(build_failed\)/);
    assert.equal(await health(), 200);
  });

  test("of two at once the second says who holds the lease, or waits for it", async () => {
    const first = new Dory(folder, [...quickly, "--watch-seconds", "8", "--json"]);
    await first.reached("start");
    const second = await publish();
    assert.equal(second.code, 1);
    assert.match(second.stderr, /\S+@\S+ \(since .*\) is publishing dory-test-engine.*\(lease_held\)/);
    const third = await publish("--wait");
    assert.equal(third.code, 0, third.stderr);
    assert.equal((await first.ended()).code, 0);
    assert.deepEqual((await live()).length, 1);
  });

  test("Ctrl-C before the switch removes the new release", async () => {
    const before = await live();
    const dory = new Dory(folder, [...quickly, "--json"]);
    await dory.reached("start");
    dory.process.kill("SIGINT");
    const { code, stdout } = await dory.ended();
    assert.equal(code, 1);
    assert.match(stdout, /"code":"interrupted"/);
    assert.deepEqual(await live(), before);
    assert.equal(await health(), 200);
  });

  for (const step of ["build", "lease", "start", "health", "switch", "watch", "settle"])
    test(`killed at "${step}", the same command ends published and leaves nothing behind`, async () => {
      const load = new Load(url);
      const dory = new Dory(folder, [...quickly, "--json"]);
      await dory.reached(step);
      dory.process.kill("SIGKILL");
      await dory.ended();
      assert.equal(await health(), 200);
      const again = await publish("--wait");
      assert.equal(again.code, 0, again.stdout + again.stderr);
      const answers = await load.stop();
      assert.deepEqual(Object.keys(answers).sort(), ["GET 200", "POST 201"], JSON.stringify(answers));
      const [name, ...others] = (
        await docker("ps", "-a", "--filter", `label=dory.application=${application}`, "--format", "{{.Names}}")
      ).split("\n");
      assert.deepEqual(others, []);
      const { releases } = JSON.parse((await runDory(folder, ["releases", "--json"])).stdout);
      assert.equal(`${application}-${releases.find(({ status }: { status: string }) => status === "live").id}`, name);
      assert.ok(!releases.some(({ status }: { status: string }) => status === "pending"));
    });

  async function envOf(container: string): Promise<string> {
    return docker("inspect", "-f", "{{json .Config.Env}}", container);
  }
});
