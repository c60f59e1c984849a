import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { deploy } from "../../src/publish/deploy.ts";
import { unpublish } from "../../src/publish/rollback.ts";
import type { Driver } from "../../src/publish/target.ts";
import { type CloudRunWorld, cloudRunWorld } from "./target/cloud-run.ts";
import { type FlyWorld, flyWorld } from "./target/fly.ts";
import { catchFault } from "./target/scene.ts";
import { planted, postgresSecret, quickly, quiet, type World } from "./target/world.ts";

const secret = postgresSecret(1);
const asked = { secret, lastMigration: "0001-a" };
const now = () => new Date().toISOString();
const longAgo = new Date(Date.now() - 2 * 3_600_000).toISOString();

/** Runs that apply migrations, at a platform without a lease. */
interface Runs<W extends World> {
  platform: string;
  newWorld(): Promise<W>;
  /** The names of runs that exist. */
  list(world: W): string[];
  /** Adds one that another publisher has left. */
  leave(world: W, state: "ended" | "running" | "stuck", at: string): void;
  /** Lets runs that have begun go on without end, or end. */
  setHanging(world: W, isHanging: boolean): void;
  /** A migration that is wrong. */
  setFailing(world: W, line: string): void;
  /** Makes the platform end a run that takes too long. */
  setLate(world: W): void;
  calls(world: W): { args: string[]; stdin: string }[];
  begins: RegExp;
}

const fly: Runs<FlyWorld> = {
  platform: "Fly",
  newWorld: flyWorld,
  list: ({ fly }) => fly.state.machines.filter(({ config }) => config?.metadata).map(({ id }) => id),
  leave({ fly }, state, at) {
    fly.state.machines.push({
      id: "left",
      name: "shop-r9-migrate",
      state: { ended: "stopped", running: "started", stuck: "starting" }[state],
      region: "fra",
      created_at: at,
      config: { image: "", env: {}, metadata: { dory: "migrate" } },
    });
  },
  setHanging({ fly }, isHanging) {
    fly.state.migrating.isHanging = isHanging;
  },
  setFailing({ fly }, line) {
    fly.state.migrating.fails = line;
  },
  /** Fly has no limit: the publisher has. */
  setLate({ fly }) {
    fly.state.migrating.isHanging = true;
    const push = fly.state.machines.push.bind(fly.state.machines);
    fly.state.machines.push = (...machines) => push(...machines.map((one) => ({ ...one, created_at: longAgo })));
  },
  calls: ({ fly }) => fly.calls,
  begins: /^machine run /,
};

const cloudRun: Runs<CloudRunWorld> = {
  platform: "Cloud Run",
  newWorld: cloudRunWorld,
  list: ({ gcloud }) => gcloud.state.jobs.map(({ metadata }) => metadata.name),
  leave({ gcloud }, state, at) {
    const conditions = [{ type: "Completed", status: state === "running" ? "Unknown" : "False" }];
    const execution = { metadata: { name: "left-x1" }, status: { completionTime: at, conditions } };
    gcloud.state.jobs.push({
      metadata: { name: "left", labels: { dory_migrates: "shop" }, creationTimestamp: at },
      image: "",
      variables: {},
      secrets: "",
      log: [],
      ...(state === "stuck" ? {} : { execution }),
    });
  },
  setHanging({ gcloud }, isHanging) {
    gcloud.state.migrating.isHanging = isHanging;
  },
  setFailing({ gcloud }, line) {
    gcloud.state.migrating.fails = line;
  },
  setLate({ gcloud }) {
    gcloud.state.migrating.isTimedOut = true;
  },
  calls: ({ gcloud }) => gcloud.calls,
  begins: /^run jobs (create|execute) /,
};

for (const runs of [fly, cloudRun]) describeRuns(runs as Runs<World>);

function describeRuns(runs: Runs<World>): void {
  describe(`migrations on ${runs.platform}`, () => {
    const inWorld = (run: (world: World, driver: Driver) => Promise<void>) => async () => {
      const world = await runs.newWorld();
      await run(world, await world.open()).finally(() => world.end?.());
    };
    const commands = (world: World) => runs.calls(world).map(({ args }) => args.join(" "));

    test(
      "run in the new image with its variables and secrets, and leave nothing",
      inWorld(async (world, driver) => {
        const shown: string[] = [];
        await deploy(driver, { ...world.attempt(asked), progress: quiet(shown) });
        assert.ok(shown.includes("shop: 0001-a  applied now"), shown.join("\n"));
        const all = commands(world);
        const [begin = -1, start = -1] = [runs.begins, /^(deploy|run deploy) /].map((one) =>
          all.findIndex((command) => one.test(command)),
        );
        assert.ok(begin >= 0 && begin < start, all.join("\n"));
        assert.match(all[begin] ?? "", /@sha256:a{64}/);
        assert.deepEqual(runs.list(world), []);
        assert.ok(!all.join("\n").includes(planted));
      }),
    );

    test(
      "that fail are reported with their own line, and the live release serves on",
      inWorld(async (world, driver) => {
        await deploy(driver, world.attempt({ secret }));
        const line = "migrations/0001-a.postgres.sql, line 1: syntax error. Nothing of this file is applied.";
        runs.setFailing(world, line);
        const fault = await catchFault(deploy(driver, world.attempt(asked)));
        assert.deepEqual([fault.code, fault.outcome], ["migration", "unchanged"]);
        assert.equal(fault.message.split("\n")[0], `The migrations of shop failed: ${line}`);
        assert.deepEqual(runs.list(world), []);
        assert.deepEqual(await world.leftovers(), []);
      }),
    );

    test(
      "that take too long are ended, and this is the reason",
      inWorld(async (world, driver) => {
        await deploy(driver, world.attempt({ secret }));
        runs.setLate(world);
        const fault = await catchFault(deploy(driver, world.attempt(asked)));
        assert.equal(fault.code, "migration");
        assert.match(fault.message, /did not end within 60 minutes|The configured timeout was reached/);
        assert.deepEqual(runs.list(world), []);
      }),
    );

    for (const state of ["ended", "stuck"] as const)
      test(
        `of a publisher that was killed are removed if its run is ${state}, also if there are none to apply`,
        inWorld(async (world, driver) => {
          for (const next of [asked, { secret, env: { LOG_LEVEL: "error" } }]) {
            runs.leave(world, state, longAgo);
            await deploy(driver, world.attempt(next));
            assert.deepEqual(runs.list(world), []);
          }
        }),
      );

    test(
      "of another publisher that have just ended are left to it",
      inWorld(async (world, driver) => {
        runs.leave(world, "ended", now());
        await deploy(driver, world.attempt(asked));
        assert.deepEqual(runs.list(world), ["left"]);
      }),
    );

    test(
      "of another publisher that are under way are waited for, and not ended",
      inWorld(async (world, driver) => {
        await deploy(driver, world.attempt({ secret }));
        runs.setHanging(world, true);
        runs.leave(world, "running", now());
        const shown: string[] = [];
        const publishing = deploy(driver, { ...world.attempt(asked), progress: quiet(shown) });
        while (!shown.some((text) => /waiting for left, in which another publisher/.test(text)))
          await new Promise((resolve) => setTimeout(resolve, 5));
        assert.deepEqual(runs.list(world), ["left"]);
        assert.ok(!commands(world).some((command) => runs.begins.test(command)));
        runs.setHanging(world, false);
        await publishing;
        assert.deepEqual(runs.list(world), ["left"]);
      }),
    );

    test(
      "of two publishers are both applied, and neither ends the other's",
      inWorld(async (world, driver) => {
        await deploy(driver, world.attempt({ secret }));
        const other = await world.open();
        const results = await Promise.allSettled([
          deploy(driver, world.attempt({ ...asked, env: { LOG_LEVEL: "error" } })),
          deploy(other, world.attempt({ ...asked, env: { LOG_LEVEL: "debug" } })),
        ]);
        const failed = results.flatMap((result) => (result.status === "rejected" ? [result.reason.code] : []));
        assert.ok(failed.length < 2, failed.join());
        assert.ok(!failed.includes("migration"), failed.join());
        assert.deepEqual(runs.list(world), []);
        assert.equal((await driver.history()).filter(({ status }) => status === "live").length, 1);
      }),
    );

    test(
      "that are left are removed by dory unpublish",
      inWorld(async (world, driver) => {
        await deploy(driver, world.attempt({ secret }));
        runs.leave(world, "running", now());
        const { application } = world;
        await unpublish({ driver, application, options: quickly, progress: quiet() }, false);
        assert.deepEqual(runs.list(world), []);
      }),
    );
  });
}

test("a machine that applies migrations is in the region of those that serve", async () => {
  const world = await flyWorld();
  const driver = await world.open();
  await deploy(driver, world.attempt({ secret }));
  await deploy(driver, world.attempt(asked));
  const command = world.fly.commands().find((one) => fly.begins.test(one)) ?? "";
  assert.match(
    command,
    /^machine run \S+@sha256:a{64} -a shop --name shop-r2-migrate-[0-9a-f]{8} --region fra --metadata dory=migrate --restart no --skip-dns-registration --detach --env PORT=3000 --env LOG_LEVEL=warn --env MIGRATE=only$/,
  );
});

test("a job that applies migrations is executed once, with the new version of each secret", async () => {
  const world = await cloudRunWorld();
  const driver = await world.open();
  await deploy(driver, world.attempt({ secret }));
  await deploy(driver, world.attempt({ ...asked, secret: postgresSecret(2) })).finally(() => world.end?.());
  const [create = "", execute = ""] = world.gcloud.commands().filter((one) => cloudRun.begins.test(one));
  const at = "--project my-project --region europe-west1 --quiet";
  assert.match(
    create,
    new RegExp(
      `^run jobs create shop-r2-migrate-[0-9a-f]{8} --image \\S+@sha256:a{64} --labels dory_migrates=shop --tasks 1 --max-retries 0 --task-timeout 3600s --env-vars-file \\S+ --set-secrets DATABASE_URL=shop-DATABASE_URL:2 ${at}$`,
    ),
  );
  assert.match(execute, new RegExp(`^run jobs execute shop-r2-migrate-[0-9a-f]{8} --async ${at}$`));
});
