import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Deployment } from "kubernetes-models/apps/v1";
import { HorizontalPodAutoscaler } from "kubernetes-models/autoscaling/v2";
import { Lease } from "kubernetes-models/coordination.k8s.io/v1";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1";
import { ConfigMap, Secret, Service } from "kubernetes-models/v1";
import { applying, rolloutStatus, rolloutUndo } from "../../src/publish/kubernetes/kubectl.ts";
import { leaseFor } from "../../src/publish/kubernetes/lease.ts";
import { type KubernetesRelease, manifestsOf, secretManifest } from "../../src/publish/kubernetes/manifests.ts";
import { releasesManifest } from "../../src/publish/kubernetes/state.ts";
import { kubernetesTarget } from "../../src/publish/kubernetes/target.ts";
import type { Progress } from "../../src/publish/progress.ts";
import { versionOf } from "../../src/publish/secrets.ts";
import { temporaryFolder } from "../support.ts";
import { emptyCluster } from "./kubectl.ts";
import { attempt, digest, dory, failure, options, projectFolder, quiet, record, shop } from "./recording.ts";

const secret = "postgres://shop:s3cret-planted-here@db/shop";
const [first, second] = [digest("a"), digest("b")];

function releaseOf(scale = { min: 2, max: 5 }): KubernetesRelease {
  return { ...attempt(shop("shop", "stock"), first, secret).release, id: "r1", status: "live", scale };
}

describe("manifests", () => {
  // biome-ignore lint/suspicious/noExplicitAny: each kind has a class of its own
  const models: Record<string, new (manifest: any) => { validate(): void }> = {
    ...{ Deployment, Service, PodDisruptionBudget, HorizontalPodAutoscaler, Secret, ConfigMap, Lease },
  };
  const release = releaseOf();
  const manifests = [
    ...manifestsOf("shop", release),
    secretManifest("shop", "shop", "0123456789ab", { DATABASE_URL: secret }),
    releasesManifest("shop", [release]),
    leaseFor("shop", "ann@desk 12345678", "7"),
  ];

  test("are valid against the schemas that Kubernetes publishes", () => {
    assert.deepEqual(new Set(manifests.map(({ kind }) => kind)), new Set(Object.keys(models)));
    for (const manifest of manifests) {
      const Model = models[manifest.kind];
      assert.ok(Model);
      new Model(JSON.parse(JSON.stringify(manifest))).validate();
    }
  });

  test("keep to the restricted profile, with nothing to write but /tmp", () => {
    for (const { spec } of deployments(release)) {
      const pod = spec?.template.spec;
      assert.deepEqual(pod?.securityContext, {
        ...{ runAsNonRoot: true, runAsUser: 65_532, runAsGroup: 65_532, fsGroup: 65_532 },
        seccompProfile: { type: "RuntimeDefault" },
      });
      assert.deepEqual(pod?.containers[0]?.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ["ALL"] },
      });
      assert.deepEqual(pod?.volumes?.[0], { name: "tmp", emptyDir: { sizeLimit: "64Mi" } });
      assert.equal(pod?.automountServiceAccountToken, false);
    }
  });

  test("replace pods without a gap, and end them only when nothing is sent to them any more", () => {
    const [{ spec } = {}] = deployments(release);
    assert.deepEqual(spec?.strategy?.rollingUpdate, { maxUnavailable: 0, maxSurge: 1 });
    const [container] = spec?.template.spec?.containers ?? [];
    assert.deepEqual(container?.lifecycle?.preStop, { sleep: { seconds: 5 } });
    assert.equal(spec?.template.spec?.terminationGracePeriodSeconds, 20);
    for (const probe of [container?.startupProbe, container?.readinessProbe, container?.livenessProbe])
      assert.deepEqual(probe?.httpGet, { path: "/health", port: "http" });
  });

  test("hand secrets over as files of a version that never changes", () => {
    const version = versionOf({ DATABASE_URL: secret });
    const [{ spec } = {}] = deployments(release);
    const { containers: [container] = [], volumes } = spec?.template.spec ?? {};
    assert.deepEqual(volumes?.[1], { name: "secrets", secret: { secretName: `shop-${version}`, defaultMode: 0o440 } });
    assert.ok(
      container?.env?.some(
        ({ name, value }) => name === "DATABASE_URL_FILE" && value === "/run/secrets/dory/DATABASE_URL",
      ),
    );
    assert.equal(secretManifest("shop", "shop", version, { DATABASE_URL: secret }).immutable, true);
    assert.ok(!JSON.stringify(manifestsOf("shop", release)).includes("s3cret"));
  });

  test("have a budget from two pods up, and an autoscaler on request", () => {
    const kinds = (min: number, max: number) => manifestsOf("shop", releaseOf({ min, max })).map(({ kind }) => kind);
    assert.ok(!kinds(1, 1).includes("PodDisruptionBudget"));
    assert.ok(kinds(2, 2).includes("PodDisruptionBudget"));
    assert.ok(!kinds(2, 2).includes("HorizontalPodAutoscaler"));
    assert.ok(kinds(2, 5).includes("HorizontalPodAutoscaler"));
  });

  test("leave the number of pods that an autoscaler chose", () => {
    const replicas = (min: number, max: number, now?: number) =>
      deployments(releaseOf({ min, max }), now === undefined ? {} : { shop: now })[0]?.spec?.replicas;
    assert.deepEqual([replicas(3, 3), replicas(3, 3, 1), replicas(2, 5)], [3, 3, 2]);
    assert.deepEqual([replicas(2, 5, 4), replicas(2, 5, 1), replicas(2, 5, 9)], [4, 2, 5]);
  });

  function deployments(release: KubernetesRelease, counts = {}) {
    return manifestsOf("shop", release, counts).filter((one) => one.kind === "Deployment");
  }
});

test("commands are what kubectl documents", () => {
  assert.equal(applying.join(" "), "apply --server-side --field-manager=dory --force-conflicts -f -");
  assert.equal(rolloutStatus("shop", 5).join(" "), "rollout status deployment/shop --timeout=5s");
  assert.equal(rolloutUndo("shop", "3").join(" "), "rollout undo deployment/shop --to-revision=3");
});

describe("releasing to a cluster", () => {
  test("records, hands over, rolls out, looks, and frees the lease", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    const { release, url } = await kubernetesTarget.release(attempt(shop(), first, secret));
    assert.deepEqual([release.id, release.status, url], ["r1", "live", "http://shop.shops.svc.cluster.local:3000"]);
    const { objects } = cluster.state();
    assert.equal(objects["Lease/shop-publish"].spec.holderIdentity, "");
    assert.equal(objects["Deployment/shop"].spec.template.spec.containers[0].image, first);
    const { releases } = await kubernetesTarget.look(shop());
    assert.deepEqual(
      releases.map(({ id, status }) => [id, status]),
      [["r1", "live"]],
    );
    const order = cluster.commands().map((command) => command.split(" ").slice(0, 2).join(" "));
    assert.ok(order.indexOf("create -f") < order.indexOf("apply --server-side"));
    assert.ok(order.indexOf("rollout status") < order.lastIndexOf("get deployments,pods"));
    assert.match((await kubernetesTarget.status(shop()))[1] ?? "", /shop: 1 of 1 pods serve/);
  });

  test("undoes all services when one fails, says why, and sees that it is undone", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    const both = shop("shop", "stock");
    await kubernetesTarget.release(attempt(both, first, secret));
    cluster.change((state) => state.broken.push(second));
    const more = { options: { ...options, healthMs: 1500, replicas: 2 } };
    const fault = await failure(kubernetesTarget.release(attempt(both, second, secret, more)));
    assert.equal(fault.outcome, "rolled_back");
    assert.match(fault.message, /did not become healthy.*CrashLoopBackOff.*Readiness probe failed.*cannot be reached/s);
    const undone = cluster.commands().filter((command) => command.startsWith("rollout undo"));
    assert.deepEqual(
      undone,
      ["shop", "stock"].map((name) => `rollout undo deployment/${name} --to-revision=1`),
    );
    const { releases } = await kubernetesTarget.look(both);
    assert.deepEqual(
      releases.map(({ status }) => status),
      ["live", "failed"],
    );
    assert.ok(!Object.keys(cluster.state().objects).some((key) => key.startsWith("PodDisruptionBudget")));
    for (const name of ["shop", "stock"]) {
      assert.equal(cluster.state().objects[`Deployment/${name}`].spec.replicas, 1);
      assert.equal(cluster.state().objects[`Deployment/${name}`].spec.template.spec.containers[0].image, first);
    }
  });

  test("says so when it cannot be undone", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    await kubernetesTarget.release(attempt(shop(), first, secret));
    const lost = { code: 1, stderr: "Unable to connect to the server: net/http: TLS handshake timeout" };
    cluster.change((state) => {
      state.broken.push(second);
      state.script = [{ when: "^rollout undo", answer: lost }];
    });
    const fault = await failure(kubernetesTarget.release(attempt(shop(), second, secret)));
    assert.deepEqual([fault.code, fault.outcome], ["rollback_failed", "rollback_failed"]);
    assert.match(fault.message, /kubectl rollout undo deployment\/shop/);
  });

  test("leaves nothing of a first release that fails", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster({ broken: [first] }));
    const fault = await failure(kubernetesTarget.release(attempt(shop(), first, secret)));
    assert.equal(fault.outcome, "unchanged");
    assert.deepEqual(
      Object.keys(cluster.state().objects).filter((key) => /^(Deployment|Service)/.test(key)),
      [],
    );
  });

  test("does not believe a rollout that ends well while the new pods do not serve", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    await kubernetesTarget.release(attempt(shop(), first, secret));
    cluster.change((state) => {
      state.script = [{ when: "^rollout status", answer: { stdout: "successfully rolled out" } }];
      state.broken.push(second);
    });
    const fault = await failure(kubernetesTarget.release(attempt(shop(), second, secret)));
    assert.equal(fault.code, "not_seen");
    assert.equal(fault.outcome, "rolled_back");
  });

  test("goes back to image, configuration and secrets of the release before, without a build", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    await kubernetesTarget.release(attempt(shop(), first, secret));
    const changed = shop();
    for (const service of changed.services) service.env = { LOG_LEVEL: "debug" };
    await kubernetesTarget.release(attempt(changed, second, `${secret}-new`));
    const { release } = await kubernetesTarget.rollback(changed, undefined, options, quiet());
    assert.deepEqual([release.id, release.restores], ["r3", "r1"]);
    const { spec } = cluster.state().objects["Deployment/shop"].spec.template;
    assert.equal(spec.containers[0].image, first);
    assert.ok(
      spec.containers[0].env.some(
        ({ name, value }: { name: string; value: string }) => name === "LOG_LEVEL" && value === "warn",
      ),
    );
    assert.equal(spec.volumes[1].secret.secretName, `shop-${versionOf({ DATABASE_URL: secret })}`);
  });

  test("lets one publish at a time, and takes over from one that gives no sign of life", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    await kubernetesTarget.release(attempt(shop(), first, secret));
    cluster.change(({ objects }) => {
      Object.assign(objects["Lease/shop-publish"].spec, {
        holderIdentity: "bob@desk",
        renewTime: new Date().toISOString(),
      });
    });
    await assert.rejects(kubernetesTarget.release(attempt(shop(), second, secret)), { code: "lease_held" });
    cluster.change(({ objects }) => {
      objects["Lease/shop-publish"].spec.renewTime = "2020-01-01T00:00:00.000000Z";
    });
    assert.equal((await kubernetesTarget.release(attempt(shop(), second, secret))).release.id, "r2");
  });

  test("keeps the secrets of the last five releases and removes older ones", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    const version = (count: number) => versionOf({ DATABASE_URL: `${secret}${count}` });
    await kubernetesTarget.release(attempt(shop(), first, `${secret}1`));
    // As if five more had been released since.
    cluster.change(({ objects }) => {
      const map = objects["ConfigMap/shop-releases"];
      const [live] = JSON.parse(map.data["releases.json"]);
      const releases = [1, 2, 3, 4, 5, 6].map((count) => {
        const services = [{ ...live.services[0], secretsVersion: version(count) }];
        objects[`Secret/shop-${version(count)}`] = { kind: "Secret", metadata: { name: `shop-${version(count)}` } };
        return { ...live, id: `r${count}`, status: count === 6 ? "live" : "replaced", services };
      });
      map.data["releases.json"] = JSON.stringify(releases);
    });
    await kubernetesTarget.release(attempt(shop(), first, `${secret}7`));
    const kept = [3, 4, 5, 6, 7].map((count) => `Secret/shop-${version(count)}`);
    assert.deepEqual(
      Object.keys(cluster.state().objects).filter((key) => key.startsWith("Secret")),
      kept,
    );
  });

  test("ends what a publisher that was cut off left", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    await kubernetesTarget.release(attempt(shop(), first, secret));
    cluster.change(({ objects, broken }) => {
      const map = objects["ConfigMap/shop-releases"];
      const [live] = JSON.parse(map.data["releases.json"]);
      const services = [{ ...live.services[0], image: second }];
      map.data["releases.json"] = JSON.stringify([live, { ...live, id: "r2", status: "pending", services }]);
      objects["Deployment/shop"].spec.template.spec.containers[0].image = second;
      broken.push(second);
    });
    await kubernetesTarget.release(attempt(shop(), digest("c"), secret));
    const { releases } = await kubernetesTarget.look(shop());
    assert.deepEqual(
      releases.map(({ id, status }) => `${id} ${status}`),
      ["r1 replaced", "r2 failed", "r3 live"],
    );
  });

  test("lets a secret be seen in what kubectl reads and nowhere else", async () => {
    const told: string[] = [];
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    cluster.change((state) => {
      state.script = [
        { when: "^rollout status", answer: { code: 1, stderr: "error: exceeded its progress deadline" } },
      ];
    });
    const fault = await failure(kubernetesTarget.release(attempt(shop(), first, secret, { progress: quiet(told) })));
    await kubernetesTarget.release(attempt(shop(), first, secret, { progress: quiet(told) }));
    const rendered = await kubernetesTarget.render?.(attempt(shop(), second, secret));
    const encoded = Buffer.from(secret).toString("base64");
    const calls = cluster.calls();
    const carrying = calls.filter(({ stdin }) => stdin.includes(encoded));
    assert.ok(carrying.length > 0);
    for (const { args, stdin } of carrying) {
      assert.deepEqual(args, applying);
      assert.deepEqual(
        JSON.parse(stdin).items.map(({ kind }: { kind: string }) => kind),
        ["Secret"],
      );
    }
    const rest = calls.map(({ args, env, stdin }) => [
      args,
      env,
      carrying.some((one) => one.stdin === stdin) ? "" : stdin,
    ]);
    const all = JSON.stringify([
      rest,
      told,
      fault.message,
      rendered,
      cluster.processes(),
      cluster.state().objects["ConfigMap/shop-releases"],
    ]);
    for (const trace of ["s3cret-planted-here", encoded]) assert.ok(!all.includes(trace));
  });

  test("is undone by Ctrl-C while pods are replaced, and goes on when the cluster was away for a moment", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    const lost = { code: 1, stderr: "Unable to connect to the server: dial tcp 10.0.0.1:6443: i/o timeout" };
    cluster.change((state) => {
      state.script = [{ when: "^rollout status", answer: lost }];
    });
    assert.equal((await kubernetesTarget.release(attempt(shop(), first, secret))).release.status, "live");
    const controller = new AbortController();
    const interrupting: Progress = {
      ...quiet(),
      step: (name, _, work) => {
        if (name === "health") controller.abort();
        return work(() => {});
      },
    };
    const interrupted = { options: { ...options, interrupted: controller.signal }, progress: interrupting };
    const fault = await failure(kubernetesTarget.release(attempt(shop(), second, secret, interrupted)));
    assert.deepEqual([fault.code, fault.outcome], ["interrupted", "rolled_back"]);
    assert.equal(cluster.state().objects["Lease/shop-publish"].spec.holderIdentity, "");
  });

  const faults = [
    ["no_context", "error: current-context is not set"],
    ["cluster_login", "error: You must be logged in to the server (Unauthorized)"],
    ["cluster_forbidden", 'Error from server (Forbidden): leases is forbidden: User "ann" cannot create'],
    ["no_namespace", 'Error from server (NotFound): namespaces "shops" not found'],
    ["cluster_unreachable", "Unable to connect to the server: dial tcp: lookup k8s.example.com: no such host"],
  ];
  for (const [code, stderr = ""] of faults)
    test(`says ${code}, before anything is changed`, async () => {
      const cluster = record("kubectl", "kubectl.ts", emptyCluster());
      cluster.change((state) => {
        state.script = [{ when: "^create", answer: { code: 1, stderr } }];
      });
      await assert.rejects(kubernetesTarget.release(attempt(shop(), first, secret)), { code });
      assert.deepEqual(cluster.state().objects, {});
    });

  test("refuses a name that another has, a name that is none, and a cluster that is too old", async () => {
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    await assert.rejects(kubernetesTarget.check(shop("my.shop"), options), { code: "kubernetes_name" });
    const cache = { name: "cache", image: "redis:8", port: 6379, env: {}, secrets: [] };
    const mixed = { ...shop(), services: [...shop().services, cache] };
    await assert.rejects(kubernetesTarget.check(mixed, options), { code: "image_not_pinned" });
    cluster.change(({ objects }) => {
      objects["Service/shop"] = { kind: "Service", metadata: { name: "shop" } };
    });
    await assert.rejects(kubernetesTarget.check(shop(), options), { code: "name_taken" });
    cluster.change((state) => {
      state.script = [{ when: "^version", answer: { stdout: '{"serverVersion":{"major":"1","minor":"28+"}}' } }];
    });
    await assert.rejects(kubernetesTarget.check(shop(), options), { code: "cluster_too_old" });
  });
});

describe("dory publish --to kubernetes", () => {
  const variables = `DATABASE_URL="${secret}"\n`;
  const publish = ["publish", "--to", "kubernetes", "--no-smoke", "--watch-seconds", "0", "--health-seconds", "2"];

  test("writes the manifests out for --plan, and changes and builds nothing", async () => {
    const docker = record("docker", "docker.ts", {});
    const cluster = record("kubectl", "kubectl.ts", emptyCluster());
    const { code, stdout, stderr } = await dory(projectFolder(), [...publish, "--plan"], variables);
    assert.equal(code, 0, stderr);
    const { items } = JSON.parse(stdout.slice(stdout.indexOf("\n{")));
    const kinds = items.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(kinds, ["Secret", "Service", "Deployment"]);
    assert.match(stdout, /To context kind, namespace shops:/);
    assert.ok(!stdout.includes("s3cret") && !stdout.includes(Buffer.from(secret).toString("base64")));
    assert.deepEqual(cluster.state().objects, {});
    assert.deepEqual(
      docker.calls().map(({ args }) => args[0]),
      ["version"],
    );
    assert.ok(cluster.commands().every((command) => /^(version|get|config view)/.test(command)));
  });

  test("tells by its exit code what became of it, and hides the secret", async () => {
    const folder = projectFolder();
    record("docker", "docker.ts", {});
    const cluster = record("kubectl", "kubectl.ts", emptyCluster({ broken: [first] }));
    const outcomes = [await dory(folder, publish, variables)];
    cluster.change((state) => {
      state.broken = [];
    });
    outcomes.push(await dory(folder, publish, variables));
    const timedOut = { code: 1, stderr: "error: timed out waiting for the condition" };
    const changed = `DATABASE_URL="${secret}-new"\n`;
    cluster.change((state) => {
      state.script = [
        { when: "^rollout status", times: 1, answer: { code: 1, stderr: "exceeded its progress deadline" } },
      ];
    });
    outcomes.push(await dory(folder, publish, changed));
    cluster.change((state) => {
      state.script = [{ when: "^rollout status", times: 99, answer: timedOut }];
    });
    outcomes.push(await dory(folder, publish, changed));
    const looks = [];
    for (const look of ["releases", "status", "logs"]) looks.push(await dory(folder, [look, "--to", "kubernetes"], ""));
    assert.match(looks[0]?.stdout ?? "", /^r4 +pending.*^r2 +live.*^r1 +failed/ms);
    assert.match(looks[1]?.stdout ?? "", /shop r2 at http:\/\/shop\.shops\.svc\.cluster\.local:3000/);
    assert.match(looks[2]?.stdout ?? "", /cannot be reached/);
    const said = outcomes.map(({ code, stdout, stderr }) => `${code} ${stdout}${stderr}`);
    assert.deepEqual(
      outcomes.map(({ code }) => code),
      [1, 0, 2, 3],
      said.join("\n"),
    );
    assert.match(said[0] ?? "", /Nothing was changed/);
    assert.match(said[2] ?? "", /The release before serves again/);
    const rest = cluster.calls().map(({ args, env }) => [args, env]);
    assert.ok(!JSON.stringify([rest, said, cluster.processes()]).includes("s3cret-planted-here"));
  });

  test("refuses SQLite, whose file would be gone with the next release", async () => {
    record("docker", "docker.ts", {});
    record("kubectl", "kubectl.ts", emptyCluster());
    const { code, stderr } = await dory(projectFolder("sqlite"), publish, 'DATABASE_URL="file:./data/items.db"\n');
    assert.equal(code, 1);
    assert.match(stderr, /postgres: URL.*\(sqlite_lost\)/);
  });

  test("says that kubectl is missing, or a registry", async () => {
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
