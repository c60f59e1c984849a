import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { kubectl } from "../../../src/publish/kubernetes/kubectl.ts";
import { rollback } from "../../../src/publish/rollback.ts";
import { repository, temporaryFolder } from "../../support.ts";
import { Dory, runDory } from "../support.ts";
import { clusterWorld, context, load, type Namespace, newNamespace, registry, useConfig } from "./cluster.ts";
import { catchFault, Suite } from "./scene.ts";
import { targetSuite } from "./suite.ts";

const noCluster =
  context && registry
    ? false
    : "a stand-in is used instead: no cluster is named by DORY_TEST_KUBE_CONTEXT and DORY_TEST_REGISTRY";

describe("a real Kubernetes", { skip: noCluster }, () => {
  let namespace: Namespace;
  before(async () => {
    namespace = await newNamespace(context ?? "", registry ?? "");
  });
  after(() => namespace?.remove());

  const newWorld = () => clusterWorld(namespace);
  targetSuite("a cluster", newWorld, {}, { concurrency: 4 });
  const suite = new Suite(newWorld, {});

  suite.test("answers every request while it is released, fails, and is rolled back", [], async (scene) => {
    const { url } = await scene.publish();
    const loaded = await load(namespace, url, 120);
    await scene.publish({ env: { LOG_LEVEL: "error" } });
    await catchFault(scene.publish({ env: { LOG_LEVEL: "loud" } }));
    await rollback(scene.work(), undefined, false);
    const answers = await loaded();
    assert.deepEqual(Object.keys(answers), ["200"], JSON.stringify(answers));
  });

  suite.test("reverts an image that cannot be pulled, without waiting for it", [], async (scene) => {
    await scene.publish();
    const image = namespace.image.replace(/[0-9a-f]{64}$/, "0".repeat(64));
    const fault = await catchFault(scene.publish({ image }, { healthMs: 600_000 }));
    assert.equal(fault.outcome, "unchanged");
    assert.match(fault.message, /ImagePullBackOff/);
    await scene.onlyServes("r1");
  });

  suite.test("runs as many replicas as are asked for, and keeps that number", [], async (scene) => {
    await scene.publish({}, { replicas: 2 });
    const { release } = await scene.publish({ env: { LOG_LEVEL: "error" } });
    assert.equal((await scene.driver.observe(release)).instances.filter(({ isReady }) => isReady).length, 2);
    await scene.publish({}, { autoscale: { min: 1, max: 3 } });
    const name = scene.world.application.name;
    const range = "jsonpath={.spec.minReplicas}..{.spec.maxReplicas}";
    assert.equal(await kubectl.run(["get", "horizontalpodautoscaler", name, "-o", range]), "1..3");
  });

  suite.test("makes an Ingress for a domain, and keeps it", [], async (scene) => {
    const { url } = await scene.publish({}, { domain: "shop.example.com" });
    assert.equal(url, "http://shop.example.com");
    await scene.publish({ env: { LOG_LEVEL: "error" } });
    const hosts = ["get", "ingress", scene.world.application.name, "-o", "jsonpath={.spec.rules[*].host}"];
    assert.equal(await kubectl.run(hosts), "shop.example.com");
  });

  interface Project {
    publish(level: string, ...flags: string[]): Dory;
    releases(): Promise<{ id: string; status: string }[]>;
  }

  /** With a prebuilt image, so that nothing has to be built. It is removed at the end. */
  async function inProject(name: string, run: (project: Project) => Promise<void>): Promise<void> {
    const folder = temporaryFolder();
    const to = ["--to", "kubernetes"];
    const publish = (level: string, ...flags: string[]) => {
      const env = { DATABASE_URL: "file:/tmp/items.db", LOG_LEVEL: level };
      const services = { [name]: { image: namespace.image, port: 3000, env } };
      writeFileSync(join(folder, "dory.json"), JSON.stringify({ name, services, publish: { registry } }));
      return new Dory(folder, ["publish", ...to, "--json", "--watch-seconds", "3", ...flags]);
    };
    const releases = async () => JSON.parse((await runDory(folder, ["releases", ...to, "--json"])).stdout).releases;
    try {
      await run({ publish, releases });
    } finally {
      await runDory(folder, ["unpublish", ...to, "--yes", "--wait"]);
    }
  }

  const succeeds = async (dory: Dory) => {
    const { code, stdout, stderr } = await dory.ended();
    assert.equal(code, 0, `${stdout}${stderr}`);
  };

  for (const step of ["lease", "start", "health", "switch", "watch", "live"])
    test(`recovers from a publisher that was killed at ${step}`, () =>
      inProject(`killed-${step}`, async ({ publish, releases }) => {
        await succeeds(publish("info"));
        const killed = publish("warn");
        await killed.reached(step);
        await killed.kill();
        // A lease without a heartbeat ends after thirty seconds.
        await succeeds(publish("error", "--wait", "--force"));
        const statuses = (await releases()).map(({ status }) => status);
        assert.deepEqual(
          statuses.filter((status) => status === "live" || status === "pending"),
          ["live"],
        );
      }));

  test("lets two publish at once, one after the other", () =>
    inProject("twice", async ({ publish, releases }) => {
      await succeeds(publish("info"));
      const both = [publish("warn", "--wait", "--force"), publish("warn", "--wait", "--force")];
      await Promise.all(both.map(succeeds));
      assert.deepEqual(
        (await releases()).map(({ id, status }) => `${id} ${status}`),
        ["r1 replaced", "r2 replaced", "r3 live"],
      );
    }));

  test("needs the rights that docs/kubernetes-publisher.yaml lists, and reports it without them", () =>
    inProject("rights", async ({ publish }) => {
      const manifest = readFileSync(join(repository, "docs/kubernetes-publisher.yaml"), "utf8");
      const [account = "", ...rights] = manifest
        .replaceAll("namespace: shops", `namespace: ${namespace.name}`)
        .split("---\n");
      await kubectl.run(["apply", "-f", "-"], { input: account });
      const own = process.env["KUBECONFIG"];
      const config = JSON.parse(readFileSync(own ?? "", "utf8"));
      const token = await kubectl.run(["create", "token", "dory-publisher"]);
      try {
        useConfig({ ...config, users: [{ name: config.users[0].name, user: { token } }] });
        const refused = await publish("info").ended();
        assert.equal(refused.code, 1);
        assert.match(`${refused.stdout}${refused.stderr}`, /cluster_forbidden/);
        const mine = process.env["KUBECONFIG"];
        process.env["KUBECONFIG"] = own;
        await kubectl.run(["apply", "-f", "-"], { input: rights.join("---\n") });
        process.env["KUBECONFIG"] = mine;
        await succeeds(publish("info", "--replicas", "2"));
        await succeeds(publish("warn", "--replicas", "1"));
      } finally {
        process.env["KUBECONFIG"] = own;
      }
    }));
});
