import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { kubectl } from "../../../src/publish/kubernetes/kubectl.ts";
import { rollback } from "../../../src/publish/rollback.ts";
import { repository, temporaryFolder } from "../../support.ts";
import { Dory, type Ended, runDory } from "../support.ts";
import { clusterWorld, context, load, type Namespace, newNamespace, registry, useConfig } from "./cluster.ts";
import { faultOf, Suite } from "./scene.ts";
import { targetSuite } from "./suite.ts";

const skip =
  context && registry
    ? false
    : "a stand-in is used instead: no cluster is named by DORY_TEST_KUBE_CONTEXT and DORY_TEST_REGISTRY";

describe("a real Kubernetes", { skip }, () => {
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
    await faultOf(scene.publish({ env: { LOG_LEVEL: "loud" } }));
    await rollback(scene.work(), undefined, false);
    const answers = await loaded();
    assert.deepEqual(Object.keys(answers), ["200"], JSON.stringify(answers));
  });

  suite.test("reverts an image that cannot be pulled, without waiting for it", [], async (scene) => {
    await scene.publish();
    const image = namespace.image.replace(/[0-9a-f]{64}$/, "0".repeat(64));
    const fault = await faultOf(scene.publish({ image }, { healthMs: 600_000 }));
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

  /** A project with a prebuilt image, so that nothing has to be built. */
  function projectOf(name: string): { publish(level: string, ...flags: string[]): Dory; status(): Promise<Ended> } {
    const folder = temporaryFolder();
    const publish = (level: string, ...flags: string[]) => {
      const env = { DATABASE_URL: "file:/tmp/items.db", LOG_LEVEL: level };
      const services = { [name]: { image: namespace.image, port: 3000, env } };
      writeFileSync(join(folder, "dory.json"), JSON.stringify({ name, services, publish: { registry } }));
      return new Dory(folder, ["publish", "--to", "kubernetes", "--json", "--watch-seconds", "3", ...flags]);
    };
    return { publish, status: () => runDory(folder, ["releases", "--to", "kubernetes", "--json"]) };
  }

  const succeeds = async (dory: Dory) => {
    const { code, stdout, stderr } = await dory.ended();
    assert.equal(code, 0, `${stdout}${stderr}`);
  };

  test("recovers from a publisher that was killed, at any step", async () => {
    const { publish, status } = projectOf("killed");
    await succeeds(publish("info"));
    for (const step of ["lease", "start", "health", "switch", "watch", "live"]) {
      const killed = publish("warn");
      await killed.reached(step);
      killed.process.kill("SIGKILL");
      await killed.ended();
      // A lease without a heartbeat ends after thirty seconds.
      await succeeds(publish("error", "--wait", "--force"));
      const { releases } = JSON.parse((await status()).stdout);
      const statuses: string[] = releases.map(({ status }: { status: string }) => status);
      assert.deepEqual(
        statuses.filter((status) => status === "live" || status === "pending"),
        ["live"],
        step,
      );
    }
  });

  test("lets two publish at once, one after the other", async () => {
    const { publish, status } = projectOf("twice");
    await succeeds(publish("info"));
    await Promise.all([succeeds(publish("warn", "--wait", "--force")), succeeds(publish("warn", "--wait", "--force"))]);
    const { releases } = JSON.parse((await status()).stdout);
    assert.deepEqual(
      releases.map(({ id, status }: { id: string; status: string }) => `${id} ${status}`),
      ["r1 replaced", "r2 replaced", "r3 live"],
    );
  });

  test("needs the rights that docs/kubernetes-publisher.yaml lists, and reports it without them", async () => {
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
      const { publish } = projectOf("rights");
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
  });
});
