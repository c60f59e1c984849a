import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type FlyRelease, flyToml } from "../../src/publish/fly/config.ts";
import { deploy } from "../../src/publish/fly/flyctl.ts";
import { importLines } from "../../src/publish/fly/secrets.ts";
import { flyTarget } from "../../src/publish/fly/target.ts";
import { emptyApp } from "./flyctl.ts";
import { attempt, digest, failure, options, quiet, record, shop } from "./recording.ts";

const secret = "postgres://shop:s3cret-planted-here@db/shop?a=#b";
const [first, second] = [digest("a"), digest("b")];
const start = (state = emptyApp()) => record("flyctl", "flyctl.ts", state);

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
    test(`writes ${JSON.stringify(value)} so that it is kept`, () => {
      assert.equal(importLines({ NAME: value }), `NAME=${line}\n`);
    });

  for (const value of ["a\r\nb", '""x#y', 'a"b#c\nd', 'a"""\nb', "x".repeat(70_000)])
    test(`refuses ${JSON.stringify(value.slice(0, 12))}, which it would change`, () => {
      assert.throws(() => importLines({ NAME: value }), { code: "fly_secret" });
    });

  test("fly.toml has the checks, the strategy and no secret", () => {
    const { release } = attempt(shop(), first, secret);
    const planned: FlyRelease = { ...release, id: "r1", status: "live", secretDigests: {} };
    const toml = flyToml("shop", [planned]);
    assert.match(toml, /^app = "shop"\n/);
    assert.match(toml, /\[deploy\]\nstrategy = "bluegreen"/);
    assert.match(toml, /\[http_service\]\ninternal_port = 3000/);
    assert.match(toml, /\[\[http_service\.checks\]\]\nmethod = "GET"\npath = "\/health"/);
    assert.match(toml, /\nLOG_LEVEL = "warn"\n/);
    assert.ok(!toml.includes("s3cret"));
  });

  test("a deployment names its image by digest", () => {
    const told = "deploy --config /tmp/fly.toml -a shop --image IMAGE --ha=false --wait-timeout 60s -y";
    assert.equal(deploy("shop", "/tmp/fly.toml", "IMAGE", 60).join(" "), told);
  });
});

describe("releasing to Fly", () => {
  test("hands over secrets, deploys, and looks at the machines", async () => {
    const fly = start();
    const { release, url } = await flyTarget.release(attempt(shop(), first, secret));
    assert.deepEqual([release.id, url], ["r1", "https://shop.fly.dev"]);
    const commands = fly.commands().map((command) => command.split(" ").slice(0, 2).join(" "));
    const steps = ["machine list", "secrets import", "secrets list", "deploy --config", "machine list"];
    assert.deepEqual(commands, steps);
    const { releases } = await flyTarget.look(shop());
    assert.deepEqual(
      releases.map(({ id, status }) => `${id} ${status}`),
      ["r1 live"],
    );
  });

  test("leaves the old release when the new one does not get healthy", async () => {
    const fly = start();
    await flyTarget.release(attempt(shop(), first, secret));
    fly.change((app) => void app.broken.push(second));
    const fault = await failure(flyTarget.release(attempt(shop(), second, secret)));
    assert.equal(fault.outcome, "unchanged");
    assert.match(fault.message, /green machines.*cannot be reached.*stay at Fly/s);
    assert.equal(fly.state().machines[0]?.config?.image, first);
  });

  test("puts the old release back when flyctl reports success and the new one does not serve", async () => {
    const fly = start();
    await flyTarget.release(attempt(shop(), first, secret));
    fly.change((app) => void app.stuck.push(second));
    const fault = await failure(flyTarget.release(attempt(shop(), second, secret)));
    assert.deepEqual([fault.code, fault.outcome], ["not_seen", "rolled_back"]);
    const { releases } = await flyTarget.look(shop());
    assert.deepEqual(
      releases.map(({ id, status }) => `${id} ${status}`),
      ["r1 live"],
    );
    fly.change((app) => void app.broken.push(first));
    const worse = await failure(flyTarget.release(attempt(shop(), second, secret)));
    assert.equal(worse.outcome, "rollback_failed");
  });

  test("goes back to image and configuration, if Fly still has the secrets", async () => {
    const fly = start();
    await flyTarget.release(attempt(shop(), first, secret));
    await flyTarget.release(attempt(shop(), second, secret));
    const { release } = await flyTarget.rollback(shop(), undefined, options, quiet());
    assert.deepEqual([release.id, release.restores], ["r3", "r1"]);
    assert.equal(fly.state().machines[0]?.config?.image, first);
    await flyTarget.release(attempt(shop(), second, `${secret}-new`));
    await assert.rejects(flyTarget.rollback(shop(), "r1", options, quiet()), { code: "secrets_gone" });
  });

  test("lets a secret be seen in what flyctl reads and nowhere else", async () => {
    const told: string[] = [];
    const fly = start();
    await flyTarget.release(attempt(shop(), first, secret, { progress: quiet(told) }));
    const stderr = `Error: Secrets must be provided as NAME=VALUE pairs (${secret} is invalid)`;
    fly.change((app) => {
      app.script = [{ when: "^secrets import", answer: { code: 1, stderr } }];
    });
    const fault = await flyTarget.release(attempt(shop(), second, secret)).catch((error: Error) => error);
    const rendered = await flyTarget.render?.(attempt(shop(), second, secret));
    const calls = fly.calls();
    for (const { args, stdin } of calls)
      assert.equal(stdin.includes("s3cret"), args.join(" ") === "secrets import --stage -a shop");
    const rest = calls.map(({ args, env }) => [args, env]);
    const all = JSON.stringify([rest, told, String(fault), rendered, fly.processes(), fly.state().machines]);
    assert.ok(!all.includes("s3cret-planted-here"));
  });

  const faults = [
    ["fly_login", "Error: no access token available. Please login with 'flyctl auth login'"],
    ["no_app", 'Error: Could not find App "shop"'],
    ["fly_unreachable", "Error: dial tcp: lookup api.fly.io: no such host"],
  ];
  for (const [code, stderr = ""] of faults)
    test(`says ${code}`, async () => {
      start(emptyApp({ script: [{ when: "^machine list", answer: { code: 1, stderr } }] }));
      await assert.rejects(flyTarget.check(shop(), options), { code });
    });

  test("refuses several services, a number of replicas, and an app that it did not make", async () => {
    start(emptyApp({ machines: [{ id: "m1", state: "started", region: "fra" }] }));
    await assert.rejects(flyTarget.check(shop("shop", "stock"), options), { code: "one_service" });
    await assert.rejects(flyTarget.check(shop(), { ...options, replicas: 2 }), { code: "replicas" });
    await assert.rejects(flyTarget.check(shop(), options), { code: "name_taken" });
  });

  test("says that flyctl is missing", async () => {
    const path = process.env["PATH"];
    process.env["PATH"] = "/nowhere";
    await assert.rejects(flyTarget.check(shop(), options), { code: "no_flyctl" });
    process.env["PATH"] = path;
  });
});
