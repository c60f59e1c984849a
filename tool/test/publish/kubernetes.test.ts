import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Application } from "../../src/publish/application.ts";
import { deploy } from "../../src/publish/deploy.ts";
import { kubernetesTarget } from "../../src/publish/kubernetes/driver.ts";
import { leaseManifest, takeLease } from "../../src/publish/kubernetes/lease.ts";
import { runner } from "../../src/publish/program.ts";
import { unpublish } from "../../src/publish/rollback.ts";
import { whyNotServing } from "../../src/publish/snapshot.ts";
import type { Attempt } from "../../src/publish/target.ts";
import { repository } from "../support.ts";
import { rightsFor, rightsIn } from "./rights.ts";
import { allCalls, type KubernetesWorld, kubernetesWorld } from "./target/kubernetes.ts";
import { atStep, catchFault } from "./target/scene.ts";
import { targetSuite } from "./target/suite.ts";
import { crashing, digest, postgresSecret, quickly, quiet, shop } from "./target/world.ts";

const secret = postgresSecret(1);

targetSuite("Kubernetes", kubernetesWorld);

describe("migrations in a cluster", () => {
  const withMigrations = (attempt: Attempt): Attempt => ({
    ...attempt,
    release: { ...attempt.release, migrations: { shop: { last: "0001-a", breaks: [] } } },
  });

  test("are applied by a Job before anything of the release is, which gets no requests and is removed", async () => {
    const world = await kubernetesWorld();
    const shown: string[] = [];
    const attempt = { ...withMigrations(world.attempt({ secret, env: { MIGRATE: "off" } })), progress: quiet(shown) };
    await deploy(await world.open(), attempt);
    const applied = world.cluster.calls
      .filter(({ args: [verb] }) => verb === "apply")
      .flatMap(({ stdin }) => JSON.parse(stdin).items);
    const order = applied.map(({ kind }) => kind);
    assert.ok(order.indexOf("Job") >= 0 && order.indexOf("Job") < order.indexOf("Deployment"), order.join());
    const job = applied.find(({ kind }) => kind === "Job");
    const { restartPolicy, containers } = job.spec.template.spec;
    assert.equal(restartPolicy, "Never");
    assert.deepEqual(
      containers[0].env.filter(({ name }: { name: string }) => /MIGRATE|DATABASE/.test(name)),
      [
        { name: "DATABASE_URL_FILE", value: "/run/secrets/dory/DATABASE_URL" },
        { name: "MIGRATE", value: "only" },
      ],
    );
    assert.deepEqual([containers[0].readinessProbe, containers[0].ports], [undefined, undefined]);
    assert.equal(job.spec.template.metadata.labels["app.kubernetes.io/name"], "shop-migrate");
    assert.ok(shown.includes("shop: 0001-a  applied now"));
    assert.deepEqual(await world.leftovers(), []);
    await world.end?.();
  });

  test("that a killed publisher left are removed by the next", async () => {
    const world = await kubernetesWorld();
    const driver = await world.open();
    await deploy(driver, world.attempt({ secret }));
    const labels = { "app.kubernetes.io/part-of": "shop", "app.kubernetes.io/managed-by": "dory" };
    const left = { kind: "Job", metadata: { name: "shop-migrate-r2", labels }, spec: {} };
    Object.assign(world.cluster.state.objects, { "Job/shop-migrate-r2": left });
    await deploy(driver, world.attempt({ secret, env: { LOG_LEVEL: "error" } }));
    assert.ok(!("Job/shop-migrate-r2" in world.cluster.state.objects));
    await world.end?.();
  });

  test("that fail leave the live release as it is", async () => {
    const world = await kubernetesWorld();
    const driver = await world.open();
    await deploy(driver, world.attempt({ secret }));
    const before = world.cluster.calls.length;
    const fault = await catchFault(deploy(driver, withMigrations(world.attempt({ secret, env: crashing }))));
    assert.deepEqual([fault.code, fault.outcome], ["migration", "unchanged"]);
    assert.equal(fault.message, "The migrations of shop failed: LOG_LEVEL must be one of debug, info, warn, error");
    const after = world.cluster.calls.slice(before);
    assert.ok(!after.some(({ args: [verb], stdin }) => verb === "apply" && stdin.includes('"Deployment"')));
    assert.deepEqual(await world.leftovers(), []);
    await world.end?.();
  });
});

describe("releasing to a cluster", () => {
  const inWorld = async (run: (world: KubernetesWorld) => Promise<void>, application = shop()) => {
    const world = await kubernetesWorld(application);
    await run(world).finally(() => world.end?.());
  };

  test("takes the lease, records, passes secrets, applies, observes, prunes and releases the lease, in this order", () =>
    inWorld(async (world) => {
      const { url } = await deploy(await world.open(), world.attempt({ secret }));
      assert.equal(url, "http://shop.shops.svc.cluster.local:3000");
      const calls = world.cluster.calls.map(({ args: [verb = "", what = ""], stdin }) => {
        const kinds = verb === "apply" ? JSON.parse(stdin).items.map(({ kind }: { kind: string }) => kind) : [what];
        return `${verb} ${kinds.join(",")}`;
      });
      assert.deepEqual(
        calls.filter((call, index) => call !== calls[index - 1]),
        [
          "config view",
          "create -f",
          "get secret",
          "get configmap",
          "apply Secret",
          "get deployments,pods",
          "patch lease",
          "get deployments,pods",
          "apply Service,NetworkPolicy,Deployment",
          "get deployments,pods",
          "patch lease",
          "get deployments,pods",
          "patch lease",
          "apply Secret",
          "get Deployment,Service,NetworkPolicy,Ingress,PodDisruptionBudget,HorizontalPodAutoscaler",
          "get Job",
          "get Secret",
          "patch lease",
        ],
      );
      assert.equal(world.cluster.state.objects["Lease/shop-publish"].spec.holderIdentity, "");
    }));

  test("reverts all services when one fails, with their scale and other objects", () =>
    inWorld(
      async (world) => {
        const driver = await world.open();
        await deploy(driver, world.attempt({ secret }));
        const second = world.attempt({ secret });
        const services = second.release.services.map((service, index) => ({
          ...service,
          image: digest("b"),
          ...(index === 1 ? { env: crashing } : {}),
        }));
        const options = { ...second.options, replicas: 2 };
        const fault = await catchFault(
          deploy(driver, { ...second, options, release: { ...second.release, services } }),
        );
        assert.equal(fault.outcome, "rolled_back");
        assert.match(
          fault.message,
          /^It is not healthy: stock: stock-\d+ CrashLoopBackOff: ended with 1, Error\. Its log says: LOG_LEVEL must be one of .*\n/,
        );
        const { objects } = world.cluster.state;
        assert.ok(!Object.keys(objects).some((key) => key.startsWith("PodDisruptionBudget")));
        for (const name of ["shop", "stock"]) {
          assert.equal(objects[`Deployment/${name}`].spec.replicas, 1);
          assert.equal(objects[`Deployment/${name}`].spec.template.spec.containers[0].image, digest("a"));
        }
      },
      shop("shop", "stock"),
    ));

  test("shows the last log lines of a failed pod before its events, and truncates long lines", () =>
    inWorld(async (world) => {
      const driver = await world.open();
      await deploy(driver, world.attempt({ secret }));
      const crashed = await catchFault(deploy(driver, world.attempt({ secret, env: crashing })));
      const lines = crashed.message.split("\n");
      assert.match(lines[1] ?? "", /^shop-\d+: CrashLoopBackOff: ended with 1, Error, restarted \d+ times$/);
      assert.equal(lines[2], "Last lines of its log:");
      assert.match(lines[3] ?? "", /^ {2}Driver .{285,300}…$/);
      assert.equal(lines[4], "  LOG_LEVEL must be one of debug, info, warn, error");
      assert.equal(lines[5], "Events:");
      assert.match(lines[6] ?? "", /^ {2}Back-off restarting failed container shop in pod shop-\d+$/);
      const unready = await catchFault(deploy(driver, world.attempt({ secret: world.unreadySecret })));
      const events = unready.message.split("Events:\n")[1]?.split("\n") ?? [];
      assert.equal(events[0], "  Readiness probe failed: HTTP probe failed with statuscode: 503");
      assert.match(events[1] ?? "", /^ {2}Back-off/);
    }));

  test("keeps the old pods until the watch is over, so that a release that crashes late takes none away", () =>
    inWorld(async (world) => {
      const driver = await world.open();
      const options = { ...quickly, replicas: 3 };
      await deploy(driver, { ...world.attempt({ secret }), options });
      const { state } = world.cluster;
      const names = state.pods.map(({ name }) => name);
      state.patience = 1e6;
      const late = {
        ...world.attempt({ secret, env: { CRASH_AFTER: "8" } }),
        options: { ...options, watchMs: 60_000 },
      };
      const fault = await catchFault(deploy(driver, late));
      assert.deepEqual([fault.code, fault.outcome], ["crashed", "rolled_back"]);
      assert.match(fault.message, /^It is not healthy: .*Its log says: out of memory\n/);
      await driver.observe((await driver.history())[0] ?? assert.fail());
      assert.deepEqual(
        state.pods.filter(({ isLeaving }) => !isLeaving).map(({ name }) => name),
        names,
      );
      assert.equal(state.objects["Deployment/shop"].spec.minReadySeconds, 5);
    }));

  test("ends the old pods of a release that is live", () =>
    inWorld(async (world) => {
      const driver = await world.open();
      await deploy(driver, world.attempt({ secret }));
      const { release } = await deploy(driver, world.attempt({ secret, env: { LOG_LEVEL: "error" } }));
      while ((await driver.observe(release)).instances.length > 1);
      assert.equal(whyNotServing(await driver.observe(release)), undefined);
    }));

  test("reports why one crashed that runs again, also in its record", () =>
    inWorld(async (world) => {
      const driver = await world.open();
      await deploy(driver, world.attempt({ secret }));
      const attempt = world.attempt({ secret, env: { LOG_LEVEL: "error" } });
      const crashing = atStep("watch", () => setTimeout(() => world.crash?.(), 20));
      const options = { ...attempt.options, watchMs: 60_000 };
      const fault = await catchFault(deploy(driver, { ...attempt, options, progress: crashing }));
      const [first] = fault.message.split("\n");
      assert.match(
        first ?? "",
        /crashed \(running again, after it ended with 1, Error\)\. Its log says: Error: it was crashed$/,
      );
      assert.equal((await driver.history()).at(-1)?.reason, first);
    }));

  test("does not treat a release as live that was never applied, though its pods would be the same", () =>
    inWorld(async (world) => {
      const driver = await world.open();
      const { release } = await deploy(driver, world.attempt({ secret }));
      assert.equal(whyNotServing(await driver.observe(release)), undefined);
      const reason = whyNotServing(await driver.observe({ ...release, id: "r2" }));
      assert.equal(reason, "shop: its Deployment is set to r1");
    }));

  test("does not wait for an image that cannot be pulled", () =>
    inWorld(async (world) => {
      const driver = await world.open();
      await deploy(driver, world.attempt({ secret }));
      world.cluster.state.unpullable.push(digest("f"));
      const attempt = world.attempt({ secret, image: digest("f") });
      const late = { ...attempt, options: { ...attempt.options, healthMs: 3_600_000 } };
      const fault = await catchFault(deploy(driver, late));
      assert.equal(fault.outcome, "unchanged");
      assert.match(fault.message, /ImagePullBackOff: Back-off pulling image .*not found/);
    }));

  test("keeps scale, route and pull secrets until others are asked for, and removes what is not needed", () =>
    inWorld(
      async (world) => {
        const driver = await world.open();
        const asked = (env: Record<string, string>, options: object) => {
          const attempt = world.attempt({ secret, env });
          return deploy(driver, { ...attempt, options: { ...attempt.options, ...options } });
        };
        const routed = (attempt: Attempt) => ({
          ...attempt,
          options: { ...attempt.options, domain: "shop.example.org" },
        });
        const kinds = () => Object.keys(world.cluster.state.objects).filter((key) => key.endsWith("/shop"));
        const all = [
          "Deployment",
          "HTTPRoute",
          "HorizontalPodAutoscaler",
          "NetworkPolicy",
          "PodDisruptionBudget",
          "Service",
        ];
        const { url } = await asked({}, { autoscale: { min: 2, max: 4 }, domain: "shop.example.com" });
        assert.equal(url, "https://shop.example.com");
        await asked({ LOG_LEVEL: "error" }, {});
        assert.deepEqual(
          kinds().sort(),
          all.map((kind) => `${kind}/shop`),
        );
        await asked({}, { replicas: 1 });
        assert.deepEqual(
          kinds().sort(),
          ["Deployment", "HTTPRoute", "NetworkPolicy", "Service"].map((kind) => `${kind}/shop`),
        );
        const other = { ...world.application, kubernetes: { ingressClass: "nginx" } };
        const again = await kubernetesTarget.open(other);
        await deploy({ ...again, paceMs: 5 }, routed(world.attempt({ secret })));
        assert.deepEqual(
          kinds().sort(),
          ["Deployment", "Ingress", "NetworkPolicy", "Service"].map((kind) => `${kind}/shop`),
        );
        const { application } = world;
        await unpublish({ driver, application, options: quickly, progress: quiet() }, true);
        assert.deepEqual(Object.keys(world.cluster.state.objects), []);
      },
      { ...shop(), kubernetes: { gateway: "public", pullSecrets: ["registry"] } },
    ));

  test("changes the route when dory.json does, and keeps its domain", () =>
    inWorld(async (world) => {
      const attempt = world.attempt({ secret });
      const options = { ...attempt.options, domain: "shop.example.com" };
      await deploy(await world.open(), { ...attempt, options });
      const other = await kubernetesTarget.open({ ...shop(), kubernetes: { ingressClass: "nginx" } });
      await deploy({ ...other, paceMs: 5 }, world.attempt({ secret }));
      const { spec } = world.cluster.state.objects["Ingress/shop"];
      assert.deepEqual([spec.ingressClassName, spec.rules[0].host], ["nginx", "shop.example.com"]);
    }));

  test("reports a cluster without the Gateway API, and reverts a release that needs it", () =>
    inWorld(async (world) => {
      const { state } = world.cluster;
      state.unknown.push("HTTPRoute");
      const attempt = world.attempt({ secret });
      const driver = await world.open();
      await deploy(driver, { ...attempt, options: { ...attempt.options, domain: "shop.example.com" } });
      const ingress = state.objects["Ingress/shop"].spec;
      const other = await kubernetesTarget.open({ ...shop(), kubernetes: { gateway: "public" } });
      await assert.rejects(other.check(quickly), { code: "no_gateway_api" });
      const fault = await catchFault(deploy({ ...other, paceMs: 5 }, attempt));
      assert.deepEqual([fault.code, fault.outcome], ["no_gateway_api", "unchanged"]);
      assert.deepEqual(state.objects["Ingress/shop"].spec, ingress);
      const { release } = await deploy(driver, world.attempt({ secret, env: { LOG_LEVEL: "error" } }));
      assert.equal(release.id, "r3");
    }));

  test("shows the log of the pods that are live, one by one", () =>
    inWorld(async (world) => {
      const driver = await world.open();
      await deploy(driver, world.attempt({ secret }));
      const { release } = await deploy(driver, world.attempt({ secret, env: { LOG_LEVEL: "error" } }));
      const shown: string[][] = [];
      const { show } = runner;
      runner.show = async (_, args) => shown.push(args) * 0;
      await driver.logs(release, { isFollowing: true, lines: 5 }).finally(() => (runner.show = show));
      const pod = world.cluster.state.pods.find(({ isLeaving }) => !isLeaving)?.name ?? "";
      assert.deepEqual(shown, [["logs", pod, "--prefix", "--tail=5", "--follow"]]);
      world.cluster.calls.push({ program: "kubectl", args: shown[0] ?? [], stdin: "", env: {} });
    }));

  test("uses the history that earlier versions kept in a ConfigMap", () =>
    inWorld(async (world) => {
      const { objects } = world.cluster.state;
      const old = { ...world.attempt({ secret }).release, id: "r1", status: "live", scale: { min: 1, max: 1 } };
      objects["ConfigMap/shop-releases"] = {
        kind: "ConfigMap",
        metadata: { name: "shop-releases" },
        data: { "releases.json": JSON.stringify([old]) },
      };
      assert.equal((await deploy(await world.open(), world.attempt({ secret }))).release.id, "r2");
    }));

  test("stops waiting for a cluster that does not answer when it is interrupted", () =>
    inWorld(async () => {
      const controller = new AbortController();
      runner.execute = (_, __, { interrupted } = {}) =>
        new Promise((resolve) =>
          interrupted?.addEventListener("abort", () => resolve({ code: 130, stdout: "", stderr: "" })),
        );
      setTimeout(() => controller.abort(), 10);
      const taking = takeLease("shop", { ...quickly, interrupted: controller.signal }, () => {});
      assert.equal((await catchFault(taking)).code, "interrupted");
    }));

  const hour = 3_600_000;
  const pace = { lookMs: 2, unchangedMs: 60 };
  for (const skew of [-hour, hour]) {
    const clock = skew < 0 ? "behind" : "ahead";
    const leaseAt = (time: number) => {
      const lease = leaseManifest("shop", "ann@desk 1234");
      return { ...lease, spec: { ...lease.spec, renewTime: new Date(time + skew).toISOString() } };
    };

    test(`respects a holder whose clock is an hour ${clock}, as long as it sends heartbeats`, () =>
      inWorld(async ({ cluster: { state } }) => {
        const beat = () => (state.objects["Lease/shop-publish"] = leaseAt(Date.now()));
        beat();
        const beating = setInterval(beat, 10);
        const patient = { ...pace, unchangedMs: 60_000 };
        const { code } = await catchFault(takeLease("shop", quickly, () => {}, patient)).finally(() =>
          clearInterval(beating),
        );
        assert.equal(code, "lease_held");
      }));

    test(`takes the lease of a holder that is gone and whose clock was an hour ${clock}`, () =>
      inWorld(async ({ cluster: { state } }) => {
        state.objects["Lease/shop-publish"] = leaseAt(Date.now());
        const lock = await takeLease("shop", quickly, () => {}, pace);
        await lock.check();
        await lock.release();
      }));
  }

  const faults = [
    ["no_context", "error: current-context is not set"],
    ["cluster_login", "error: You must be logged in to the server (Unauthorized)"],
    ["cluster_forbidden", 'Error from server (Forbidden): leases is forbidden: User "ann" cannot create'],
    ["no_namespace", 'Error from server (NotFound): namespaces "shops" not found'],
    ["cluster_unreachable", "Unable to connect to the server: dial tcp: lookup k8s.example.com: no such host"],
  ];
  for (const [code, stderr = ""] of faults)
    test(`reports ${code}, before anything is changed`, () =>
      inWorld(async (world) => {
        const driver = await world.open();
        world.cluster.state.script = [{ when: "^create", answer: { code: 1, stderr } }];
        await assert.rejects(deploy(driver, world.attempt({ secret })), { code });
        assert.deepEqual(world.cluster.state.objects, {});
      }));

  test("reports that kubectl has no cluster, whichever command is first", () =>
    inWorld(async (world) => {
      const stderr = "error: current-context must exist in order to minify";
      world.cluster.state.script = [{ when: "^config view", answer: { code: 1, stderr } }];
      await assert.rejects(kubernetesTarget.open(shop()), { code: "no_context" });
    }));

  test("refuses a name in use, an invalid name, and a cluster that is too old", () =>
    inWorld(async (world) => {
      const { state } = world.cluster;
      const check = async (application: Application, options = {}) =>
        (await kubernetesTarget.open(application)).check({ ...quickly, ...options });
      await assert.rejects(check(shop("my.shop")), { code: "kubernetes_name" });
      await check(shop());
      state.objects["Ingress/shop"] = { kind: "Ingress", metadata: { name: "shop" } };
      await check(shop());
      await assert.rejects(check(shop(), { domain: "shop.example.com" }), { code: "name_taken" });
      state.objects["NetworkPolicy/shop"] = { kind: "NetworkPolicy", metadata: { name: "shop" } };
      await assert.rejects(check(shop()), { code: "name_taken" });
      state.script = [{ when: "^version", answer: { stdout: '{"serverVersion":{"major":"1","minor":"28+"}}' } }];
      await assert.rejects(check(shop()), { code: "cluster_too_old" });
    }));
});

test("the Role in docs has exactly the rights that all of this needed", () => {
  const granted = rightsIn(readFileSync(join(repository, "docs/kubernetes-publisher.yaml"), "utf8"));
  const needed = new Set(allCalls.flatMap(rightsFor));
  assert.deepEqual(granted.toSorted(), [...needed].sort());
});
