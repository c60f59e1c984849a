import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deploy } from "../../src/publish/deploy.ts";
import { type FlyRelease, printFlyToml } from "../../src/publish/fly/config.ts";
import { flyTarget } from "../../src/publish/fly/driver.ts";
import { deployImage as deployCommand } from "../../src/publish/fly/flyctl.ts";
import { printImport } from "../../src/publish/fly/secrets.ts";
import { rollback } from "../../src/publish/rollback.ts";
import { answer, emptyApp } from "./flyctl.ts";
import { dory, projectFolder, record, recordHere } from "./recording.ts";
import { flyCannot, flyWorld } from "./target/fly.ts";
import { catchFault } from "./target/scene.ts";
import { targetSuite } from "./target/suite.ts";
import { attemptFor, digest, planted, postgresSecret, quickly, quiet, shop } from "./target/world.ts";

const secret = postgresSecret(1);

targetSuite("Fly", flyWorld, flyCannot);

describe("what flyctl reads", () => {
  const written: [string, string][] = [
    ["plain=value", "plain=value"],
    ["a b", "a b"],
    ["a#b", '"a#b"'],
    [" blank ", '" blank "'],
    ['"quoted"', '""quoted""'],
    ["'quoted'", "\"'quoted'\""],
    ['a"b#c', 'a"b#c'],
    ["one\ntwo # three", '"""one\ntwo # three"""'],
    ["one # x\ntwo", '"""one # x\ntwo"""'],
    ["-----BEGIN-----\nabc=\n-----END-----\n", '"""-----BEGIN-----\nabc=\n-----END-----\n"""'],
  ];
  for (const [value, line] of written)
    test(`writes ${JSON.stringify(value)} so that it is read unchanged`, () => {
      assert.equal(printImport({ NAME: value }), `NAME=${line}\n`);
    });

  for (const value of ["a\r\nb", '""x#y', 'a"b#c\nd', 'a"""\nb', "x".repeat(70_000)])
    test(`refuses ${JSON.stringify(value.slice(0, 12))}, which it would change`, () => {
      assert.throws(() => printImport({ NAME: value }), { code: "fly_secret" });
    });

  test("fly.toml has the checks, the strategy and no secret", () => {
    const { release } = attemptFor(shop(), quickly, { secret });
    const planned: FlyRelease = { ...release, id: "r1", status: "live", secretDigests: {} };
    const toml = printFlyToml("shop", [planned]);
    assert.match(toml, /^app = "shop"\n/);
    assert.match(toml, /\[deploy\]\nstrategy = "bluegreen"/);
    assert.match(toml, /\[http_service\]\ninternal_port = 3000/);
    assert.match(toml, /\[\[http_service\.checks\]\]\nmethod = "GET"\npath = "\/health"/);
    assert.match(toml, /\nLOG_LEVEL = "warn"\n/);
    assert.ok(!toml.includes(planted));
  });

  test("a deployment names its image by digest", () => {
    const command = "deploy --config /tmp/fly.toml -a shop --image IMAGE --ha=false --wait-timeout 60s -y";
    assert.equal(deployCommand("shop", "/tmp/fly.toml", "IMAGE", 60).join(" "), command);
  });
});

describe("releasing to Fly", () => {
  test("passes secrets, deploys, and observes the machines", async () => {
    const world = await flyWorld();
    const { url } = await deploy(await world.open(), world.attempt({ secret }));
    assert.equal(url, "https://shop.fly.dev");
    const commands = world.fly.calls.map(({ args }) => args.slice(0, 2).join(" "));
    assert.deepEqual(
      commands.filter((command, index) => command !== commands[index - 1]),
      ["machine list", "secrets import", "secrets list", "machine list", "deploy --config", "machine list"],
    );
    for (const { args, stdin } of world.fly.calls)
      assert.equal(stdin.includes(planted), args.join(" ") === "secrets import --stage -a shop");
  });

  test("reports that the new values of secrets stay when a release fails", async () => {
    const world = await flyWorld();
    const driver = await world.open();
    await deploy(driver, world.attempt({ secret }));
    const fault = await catchFault(deploy(driver, world.attempt({ secret, env: { LOG_LEVEL: "loud" } })));
    assert.equal(fault.outcome, "unchanged");
    assert.match(fault.message, /green machines.*LOG_LEVEL must be.*stay at Fly/s);
  });

  test("restores the old release when flyctl reports success but the new one does not serve", async () => {
    const world = await flyWorld();
    const driver = await world.open();
    await deploy(driver, world.attempt({ secret }));
    world.fly.state.stuck.push(digest("b"));
    const sick = () => catchFault(deploy(driver, world.attempt({ secret, image: digest("b") })));
    const fault = await sick();
    assert.equal(fault.code, "unhealthy");
    assert.match(fault.message, /Last health answer: critical: 503/);
    assert.equal(world.fly.state.machines[0]?.config?.image, digest("a"));
    world.fly.state.stuck.push(digest("a"));
    assert.equal((await sick()).outcome, "rollback_failed");
  });

  test("removes the machines of a publisher that was cut off, and keeps those that serve", async () => {
    const world = await flyWorld();
    const driver = await world.open();
    await deploy(driver, world.attempt({ secret }));
    const [blue] = structuredClone(world.fly.state.machines);
    await deploy(driver, world.attempt({ secret, image: digest("b") }));
    const [green] = world.fly.state.machines;
    assert.ok(blue && green);
    world.fly.state.machines = [blue, green];
    green.checks = [{ name: "http", status: "critical" }];
    const statuses = async () => (await driver.history()).map(({ id, status }) => `${id} ${status}`);
    assert.deepEqual(await statuses(), ["r1 live", "r2 pending"]);
    await deploy(driver, world.attempt({ secret, image: digest("c") }));
    assert.deepEqual(await statuses(), ["r1 replaced", "r2 failed", "r3 live"]);
  });

  test("rolls back with the current secrets only if they are the newest at Fly", async () => {
    const world = await flyWorld();
    const driver = await world.open();
    await deploy(driver, world.attempt({ secret }));
    await deploy(driver, world.attempt({ secret: postgresSecret(2) }));
    world.fly.state.secrets["DATABASE_URL"] = "another";
    const { application } = world;
    const back = rollback({ driver, application, options: quickly, progress: quiet() }, undefined, true);
    assert.equal((await catchFault(back)).code, "secrets_gone");
  });

  test("does not repeat flyctl's output about secrets", async () => {
    const world = await flyWorld();
    const stderr = `Error: Secrets must be provided as NAME=VALUE pairs (${secret} is invalid)`;
    world.fly.state.script = [{ when: "^secrets import", answer: { code: 1, stderr } }];
    const fault = await catchFault(deploy(await world.open(), world.attempt({ secret })));
    assert.ok(!fault.message.includes("pairs"));
  });

  const faults = [
    ["fly_login", "Error: no access token available. Please login with 'flyctl auth login'"],
    ["no_app", 'Error: Could not find App "shop"'],
    ["fly_unreachable", "Error: dial tcp: lookup api.fly.io: no such host"],
  ];
  for (const [code, stderr = ""] of faults)
    test(`reports ${code}`, async () => {
      recordHere("flyctl", answer, emptyApp({ script: [{ when: "^machine list", answer: { code: 1, stderr } }] }));
      await assert.rejects((await flyTarget.open(shop())).check(quickly), { code });
    });

  test("refuses an app that it did not make, and reports that flyctl is missing", async () => {
    recordHere("flyctl", answer, emptyApp({ machines: [{ id: "m1", state: "started", region: "fra" }] }));
    const driver = await flyTarget.open(shop());
    await assert.rejects(driver.check(quickly), { code: "name_taken" });
    recordHere("another", answer, emptyApp());
    await assert.rejects(driver.check(quickly), { code: "no_flyctl" });
  });

  test("cannot release several services or replicas", async () => {
    assert.match(String(flyTarget.can.services), /Publish each from its own folder/);
    assert.match(String(flyTarget.can.replicas), /flyctl scale count/);
  });
});

test("dory publish --to fly --plan prints that it is a preview, and fly.toml", async () => {
  record("docker", "docker.ts", {});
  const fly = record("flyctl", "flyctl.ts", emptyApp());
  const { code, stdout, stderr } = await dory(
    projectFolder(),
    ["publish", "--to", "fly", "--plan"],
    `DATABASE_URL="${secret}"\n`,
  );
  assert.equal(code, 0, stderr);
  assert.match(stdout, /fly is a preview/);
  assert.match(stdout, /\napp = "shop"\n/);
  assert.ok(fly.commands().every((command) => command.startsWith("machine list")));
  assert.ok(!`${stdout}${JSON.stringify(fly.calls())}`.includes(planted));
});
