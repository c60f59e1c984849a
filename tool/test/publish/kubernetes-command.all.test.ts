import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { leaseManifest } from "../../src/publish/kubernetes/lease.ts";
import type { KubernetesRelease } from "../../src/publish/kubernetes/manifests.ts";
import { releasesManifest } from "../../src/publish/kubernetes/state.ts";
import { temporaryFolder } from "../support.ts";
import { emptyCluster } from "./kubectl.ts";
import { dory, projectFolder, record } from "./recording.ts";
import { attemptFor, crashing, planted, postgresSecret, quickly, shop } from "./target/world.ts";

const secret = postgresSecret(1);

describe("dory publish --to kubernetes", () => {
  const variables = `DATABASE_URL="${secret}"\n`;
  const publish = ["publish", "--to", "kubernetes", "--no-smoke", "--watch-seconds", "0", "--health-seconds", "2"];

  test("prints the manifests for --plan, and changes and builds nothing", async () => {
    const docker = record("docker", "docker.ts", {});
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    const { code, stdout, stderr } = await dory(projectFolder(), [...publish, "--plan"], variables);
    assert.equal(code, 0, stderr);
    const { items } = JSON.parse(stdout.slice(stdout.indexOf("\n{")));
    const kinds = items.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds, ["Secret", "Service", "NetworkPolicy", "Deployment"]);
    assert.match(stdout, /To context kind, namespace shops:/);
    assert.ok(!stdout.includes(planted) && !stdout.includes(Buffer.from(secret).toString("base64")));
    assert.deepEqual(cluster.state().objects, {});
    assert.deepEqual(
      docker.calls().map(({ args }) => args[0]),
      ["version"],
    );
    assert.ok(cluster.commands().every((command) => /^(version|get|config view)/.test(command)));
  });

  test("reports the outcome by its exit code, and hides the secret", async () => {
    const folder = projectFolder();
    record("docker", "docker.ts", {});
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    const released = async (env: Record<string, string>, ...flags: string[]) => {
      const document = JSON.parse(readFileSync(join(folder, "dory.json"), "utf8"));
      document.publish.env = env;
      writeFileSync(join(folder, "dory.json"), JSON.stringify(document));
      const { code, stdout, stderr } = await dory(folder, [...publish, ...flags], variables);
      return `${code} ${stdout}${stderr}`;
    };
    const said = [await released(crashing), await released({})];
    const fading = { CRASH_AFTER: "3" };
    said.push(await released(fading, "--watch-seconds", "20"));
    const lost = { code: 1, stderr: "error: the server is closed for repairs" };
    cluster.change((state) => {
      state.script = [{ when: '^apply.*"dory/release":"r2"', answer: lost }];
    });
    said.push(await released(fading, "--watch-seconds", "20"));
    assert.deepEqual(
      said.map((text) => text[0]),
      ["1", "0", "2", "3"],
      said.join("\n"),
    );
    assert.match(said[0] ?? "", /LOG_LEVEL must be one of.*Nothing was changed/s);
    assert.match(said[2] ?? "", /The previous release is live again/);
    assert.match(said[3] ?? "", /Rolling back to r2 failed too: .*closed for repairs/s);
    const { stdout } = await dory(folder, ["releases", "--to", "kubernetes"], "");
    assert.match(stdout, /^r4 +pending.*^r3 +failed.*^r2 +live.*^r1 +failed/ms);
    const rest = cluster.calls().map(({ args, env }) => [args, env]);
    assert.ok(!JSON.stringify([rest, said, cluster.processes()]).includes(planted));
  });

  test("reports another publisher before it builds anything", async () => {
    const docker = record("docker", "docker.ts", {});
    const objects = { "Lease/shop-publish": leaseManifest("shop", "ann@desk 1234") };
    record("kubectl", "kubectl.ts", emptyCluster({ objects }));
    const { code, stderr } = await dory(projectFolder(), publish, variables);
    assert.equal(code, 1);
    assert.match(stderr, /^ann@desk 1234 is publishing shop\. .*\(lease_held\)/m);
    assert.ok(docker.calls().every(({ args }) => args[0] === "version"));
  });

  test("tells in the status which release is pending, and whether its publisher is gone", async () => {
    const { release } = attemptFor(shop(), quickly, { secret });
    const scale = { min: 1, max: 1 };
    const releases: KubernetesRelease[] = [
      { ...release, id: "r1", status: "live", scale },
      { ...release, id: "r2", status: "pending", scale },
    ];
    const lease = leaseManifest("shop", "ann@desk 1234");
    const objects = { "Secret/shop-releases": releasesManifest("shop", releases), "Lease/shop-publish": lease };
    const cluster = record("kubectl", "kubectl.ts", emptyCluster({ objects }));
    const status = async (...flags: string[]) =>
      (await dory(projectFolder(), ["status", "--to", "kubernetes", ...flags], "")).stdout;
    assert.match(await status(), /^shop r1 at .*\nr2 is pending: ann@desk 1234 is publishing it\.\n$/s);
    cluster.change((state) => {
      state.objects["Lease/shop-publish"].spec.renewTime = "2026-01-01T00:00:00.000000Z";
    });
    assert.match(await status(), /^r2 is pending, and its publisher \(ann@desk\) is gone: the next dory publish/m);
    const { pending } = JSON.parse(await status("--json"));
    assert.deepEqual([pending.release.id, pending.release.secretsKey, pending.holder], ["r2", undefined, null]);
  });

  test("refuses SQLite, whose file would be lost with the next release", async () => {
    record("docker", "docker.ts", {});
    record("kubectl", "kubectl.ts", emptyCluster());
    const { code, stderr } = await dory(projectFolder("sqlite"), publish, 'DATABASE_URL="file:./data/items.db"\n');
    assert.equal(code, 1);
    assert.match(stderr, /postgres: URL.*\(sqlite_lost\)/);
  });

  test("refuses an image that keeps data, which would be lost too", async () => {
    record("docker", "docker.ts", {});
    record("kubectl", "kubectl.ts", emptyCluster());
    const folder = projectFolder();
    const services = { database: { image: "postgres:18", port: 5432 } };
    writeFileSync(join(folder, "dory.json"), JSON.stringify({ name: "shop", services }));
    const { code, stderr } = await dory(folder, publish, variables);
    assert.equal(code, 1);
    assert.match(stderr, /^database \(postgres:18\) keeps data\. .*Remove database from dory\.json.*\(data_lost\)/m);
  });

  test("reports that kubectl or a registry is missing", async () => {
    const docker = record("docker", "docker.ts", {});
    const path = process.env["PATH"];
    // The machine may have a kubectl of its own.
    const programs = temporaryFolder();
    for (const program of ["git", "sh"])
      symlinkSync(execFileSync("which", [program], { encoding: "utf8" }).trim(), join(programs, program));
    process.env["PATH"] = `${docker.folder}:${programs}`;
    const missing = await dory(projectFolder(), publish, variables);
    process.env["PATH"] = path;
    assert.match(missing.stderr, /\(no_kubectl\)/);
    const folder = projectFolder();
    const document = JSON.parse(readFileSync(join(folder, "dory.json"), "utf8"));
    delete document.publish.registry;
    writeFileSync(join(folder, "dory.json"), JSON.stringify(document));
    assert.match((await dory(folder, publish, variables)).stderr, /\(no_registry\)/);
  });
});
