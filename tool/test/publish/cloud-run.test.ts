import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { cloudRunTarget } from "../../src/publish/cloud-run/driver.ts";
import { deployRevision as deployCommand } from "../../src/publish/cloud-run/gcloud.ts";
import { deploy } from "../../src/publish/deploy.ts";
import { rollback } from "../../src/publish/rollback.ts";
import type { Driver } from "../../src/publish/target.ts";
import { emptyProject } from "./gcloud.ts";
import { dory, projectFolder, record } from "./recording.ts";
import { type CloudRunWorld, cloudRunCannot, cloudRunWorld } from "./target/cloud-run.ts";
import { atStep, catchFault } from "./target/scene.ts";
import { targetSuite } from "./target/suite.ts";
import { digest, planted, postgresSecret, quickly, quiet } from "./target/world.ts";

const secret = postgresSecret(1);
const place = { project: "my-project", region: "europe-west1" };

targetSuite("Cloud Run", cloudRunWorld, cloudRunCannot);

test("a revision is started next to the one that serves, by digest and without traffic", () => {
  const deployment = { service: "shop", image: "IMAGE", port: 3000, suffix: "r2", tag: "c-r2", variablesFile: "FILE" };
  const secrets = { DATABASE_URL: "shop-DATABASE_URL:3" };
  const at = "--project my-project --region europe-west1 --quiet";
  const start = "run deploy shop --image IMAGE --port 3000 --revision-suffix r2 --tag c-r2 --env-vars-file FILE";
  assert.equal(
    deployCommand(place, { ...deployment, secrets, isFirst: false }).join(" "),
    `${start} --set-secrets DATABASE_URL=shop-DATABASE_URL:3 --no-traffic ${at}`,
  );
  assert.equal(
    deployCommand(place, { ...deployment, secrets: {}, scale: { min: 1, max: 4 }, isFirst: true }).join(" "),
    `${start} --clear-secrets --min-instances 1 --max-instances 4 --allow-unauthenticated ${at}`,
  );
});

describe("releasing to Cloud Run", () => {
  const inWorld = (run: (world: CloudRunWorld, driver: Driver) => Promise<void>) => async () => {
    const world = await cloudRunWorld();
    await run(world, await world.open()).finally(() => world.end?.());
  };
  const statuses = async (driver: Driver) => (await driver.history()).map(({ id, status }) => `${id} ${status}`);

  test(
    "checks the revision at its own URL, then moves the traffic",
    inWorld(async ({ gcloud, attempt }, driver) => {
      await deploy(driver, attempt({ secret }));
      await deploy(driver, attempt({ secret: postgresSecret(2), image: digest("b") }));
      assert.deepEqual(gcloud.state.traffic, [{ revisionName: "shop-r2", percent: 100 }]);
      const [one = "", two = ""] = gcloud.commands().filter((command) => command.startsWith("run deploy"));
      assert.match(one, /--set-secrets DATABASE_URL=shop-DATABASE_URL:1 --allow-unauthenticated/);
      assert.match(two, /--set-secrets DATABASE_URL=shop-DATABASE_URL:2 --no-traffic/);
      assert.deepEqual(await statuses(driver), ["r1 replaced", "r2 live"]);
      const adding = "secrets versions add shop-DATABASE_URL --data-file=-";
      for (const { args, stdin } of gcloud.calls)
        assert.equal(stdin.includes(planted), args.join(" ").startsWith(adding));
    }),
  );

  test(
    "moves the traffic back when the new revision fails after the switch",
    inWorld(async ({ gcloud, attempt, served }, driver) => {
      await deploy(driver, attempt({ secret }));
      const progress = atStep(
        "watch",
        () => (served.status = 500),
        atStep("revert", () => delete served.status),
      );
      const fault = await catchFault(deploy(driver, { ...attempt({ secret, image: digest("b") }), progress }));
      assert.equal(fault.outcome, "rolled_back");
      assert.equal(gcloud.state.traffic?.[0]?.revisionName, "shop-r1");
      const worse = atStep("watch", () => (served.status = 500));
      const again = await catchFault(deploy(driver, { ...attempt({ secret, image: digest("b") }), progress: worse }));
      assert.equal(again.outcome, "rollback_failed");
    }),
  );

  test(
    "checks that the traffic moved",
    inWorld(async ({ gcloud, attempt }, driver) => {
      await deploy(driver, attempt({ secret }));
      gcloud.state.isStubborn = true;
      const fault = await catchFault(deploy(driver, attempt({ secret, image: digest("b") })));
      assert.equal(fault.outcome, "rolled_back");
      assert.match(fault.message, /from another release/);
    }),
  );

  test(
    "rolls back by moving the traffic only",
    inWorld(async ({ gcloud, attempt, application }, driver) => {
      await deploy(driver, attempt({ secret }));
      await deploy(driver, attempt({ secret: postgresSecret(2), image: digest("b") }));
      const count = gcloud.calls.length;
      const { release } = await rollback(
        { driver, application, options: quickly, progress: quiet() },
        undefined,
        false,
      );
      assert.equal(release.id, "r1");
      assert.equal(gcloud.state.traffic?.[0]?.revisionName, "shop-r1");
      const changing = gcloud
        .commands()
        .slice(count)
        .filter((one) => !/describe|list|config/.test(one));
      const at = "--project my-project --region europe-west1 --quiet";
      assert.deepEqual(changing, [`run services update-traffic shop --to-revisions shop-r1=100 ${at}`]);
      assert.deepEqual(await statuses(driver), ["r1 live", "r2 replaced"]);
    }),
  );

  test(
    "treats a release as live that a cut-off publisher switched to, also later",
    inWorld(async ({ attempt, open }, driver) => {
      await deploy(driver, attempt({ secret }));
      const { promise: isWatched, resolve } = Promise.withResolvers<void>();
      const stuck = atStep("watch", () => {
        resolve();
        return new Promise(() => {});
      });
      void deploy(await open(), { ...attempt({ secret, image: digest("b") }), progress: stuck });
      await isWatched;
      assert.deepEqual(await statuses(driver), ["r1 replaced", "r2 live"]);
      await deploy(driver, attempt({ secret, image: digest("c") }));
      assert.deepEqual(await statuses(driver), ["r1 replaced", "r2 replaced", "r3 live"]);
    }),
  );

  test(
    "does not touch the release of another publisher that was faster",
    inWorld(async ({ gcloud, attempt, open }, driver) => {
      await deploy(driver, attempt({ secret }));
      const other = await open();
      const progress = atStep("start", () => deploy(other, attempt({ secret, image: digest("b") })));
      const fault = await catchFault(deploy(driver, { ...attempt({ secret, image: digest("c") }), progress }));
      assert.equal(fault.code, "lease_held");
      assert.equal(gcloud.state.traffic?.[0]?.revisionName, "shop-r2");
      assert.equal(gcloud.state.revisions.at(-1)?.spec.containers[0]?.image, digest("b"));
    }),
  );

  test(
    "does not repeat gcloud's output about secrets",
    inWorld(async ({ gcloud, attempt }, driver) => {
      gcloud.state.script = [{ when: "^secrets versions add", answer: { code: 1, stderr: "ERROR: it was read" } }];
      assert.ok(!(await catchFault(deploy(driver, attempt({ secret })))).message.includes("it was read"));
    }),
  );

  const faults: [string, string, string][] = [
    ["gcloud_login", "^run services", "ERROR: You do not currently have an active account selected."],
    ["no_region", "run/region", ""],
    ["no_project", "value project", ""],
    ["api_disabled", "^run services", "Cloud Run Admin API has not been used in project 1 before or it is disabled."],
    ["gcloud_unreachable", "^run services", "ERROR: gcloud crashed (ConnectionError): Connection refused"],
  ];
  for (const [code, when, stderr] of faults)
    test(
      `says ${code}`,
      inWorld(async ({ gcloud, application }) => {
        gcloud.state.script = [{ when, answer: { code: stderr === "" ? 0 : 1, stderr } }];
        const checking = async () => (await cloudRunTarget.open(application)).check(quickly);
        await assert.rejects(checking(), { code });
      }),
    );

  test(
    "refuses invalid names, PORT, and a service that it did not make",
    inWorld(async ({ gcloud, application }, driver) => {
      const {
        services: [service],
      } = application;
      assert.ok(service);
      const check = async (other: object) => (await cloudRunTarget.open({ ...application, ...other })).check(quickly);
      await assert.rejects(check({ name: "My_Shop" }), { code: "cloud_run_name" });
      await assert.rejects(check({ services: [{ ...service, env: { PORT: "80" } }] }), { code: "usage" });
      gcloud.state.traffic = [{ revisionName: "shop-00001", percent: 100 }];
      await assert.rejects(driver.check(quickly), { code: "name_taken" });
    }),
  );
});

test("dory publish --to cloud-run --plan says that it is a preview, and shows the command", async () => {
  record("docker", "docker.ts", {});
  const gcloud = record("gcloud", "gcloud.ts", emptyProject());
  const flags = ["publish", "--to", "cloud-run", "--plan", "--autoscale", "1..4"];
  const { code, stdout, stderr } = await dory(projectFolder(), flags, `DATABASE_URL="${secret}"\n`);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /cloud-run is a preview/);
  assert.match(
    stdout,
    /\ngcloud run deploy shop .*--set-secrets DATABASE_URL=shop-DATABASE_URL:VERSION --min-instances 1/,
  );
  assert.ok(gcloud.commands().every((command) => /^config|describe/.test(command)));
  assert.ok(!`${stdout}${JSON.stringify(gcloud.calls())}`.includes(planted));
});
