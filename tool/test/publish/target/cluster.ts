import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { kubernetesTarget } from "../../../src/publish/kubernetes/driver.ts";
import { kubectl } from "../../../src/publish/kubernetes/kubectl.ts";
import { kinds } from "../../../src/publish/kubernetes/prune.ts";
import { findLive, listServed } from "../../../src/publish/release.ts";
import { unpublish } from "../../../src/publish/rollback.ts";
import type { Options } from "../../../src/publish/target.ts";
import { temporaryFolder } from "../../support.ts";
import { backendImage } from "./engine.ts";
import { attemptFor, fileSecret, quickly, quiet, shop, unreachable, type World } from "./world.ts";

/** The cluster that the environment names, and the registry that it pulls from. */
export const { DORY_TEST_KUBE_CONTEXT: context, DORY_TEST_REGISTRY: registry } = process.env;

/** A namespace of a cluster for a run of tests. */
export interface Namespace {
  name: string;
  /** The image of one of our backends, by digest. */
  image: string;
  remove(): Promise<void>;
}

/** Makes the namespace and the image, and points kubectl to it with its own configuration. */
export async function newNamespace(context: string, registry: string): Promise<Namespace> {
  const name = `dory-test-${process.pid}-${Date.now().toString(36)}`;
  const view = ["config", "view", "--raw", "--minify", "--flatten", "--context", context, "-o", "json"];
  const config = await kubectl.readJson<{ contexts: { context: { namespace?: string } }[] }>(view);
  for (const one of config?.contexts ?? []) one.context.namespace = name;
  useConfig({ ...config, "current-context": context });
  await kubectl.run(["create", "namespace", name]);
  const image = await backendImage("shop", registry);
  return { name, image, remove: async () => void (await kubectl.run(["delete", "namespace", name, "--wait=false"])) };
}

/** Sets the configuration of kubectl for this process and its children. */
export function useConfig(config: object): void {
  const file = join(temporaryFolder(), "kubeconfig");
  writeFileSync(file, JSON.stringify({ apiVersion: "v1", kind: "Config", ...config }), { mode: 0o600 });
  process.env["KUBECONFIG"] = file;
}

const patient: Options = { ...quickly, healthMs: 30_000, watchMs: 3000 };

let count = 0;

/** A new application in the namespace; its data is lost with its pods. */
export async function clusterWorld({ image }: Namespace): Promise<World> {
  const application = shop(`shop-${++count}`);
  const { name } = application;
  const lease = ["lease", `${name}-publish`];
  const open = () => kubernetesTarget.open(application);
  const expireLease = async () => {
    const long = JSON.stringify({ spec: { holderIdentity: "" } });
    if (await kubectl.run(["get", ...lease, "-o", "name", "--ignore-not-found"]))
      await kubectl.run(["patch", ...lease, "--type=merge", "-p", long]);
  };
  return {
    application,
    open,
    expireLease,
    secret: fileSecret,
    unreadySecret: unreachable,
    attempt: (asked) => attemptFor(application, patient, { image, secret: fileSecret(1), ...asked }),
    // Its pods request a part of the cluster, which other tests need.
    async end() {
      await expireLease();
      await unpublish({ driver: await open(), application, options: patient, progress: quiet() }, true);
    },
    /** The cluster restarts a process that ends. */
    async crash() {
      const pods = await kubectl.run(["get", "pods", "-l", `app.kubernetes.io/part-of=${name}`, "-o", "name"]);
      const end = ["/nodejs/bin/node", "-e", "process.kill(1)"];
      for (const pod of pods.split("\n")) await kubectl.run(["exec", pod, "--", ...end]).catch(() => "");
    },
    async leftovers() {
      const releases = await (await open()).history();
      const live = findLive(releases);
      const versions = listServed(releases).flatMap(({ services }) =>
        services.map((one) => `${name}-${one.secretsVersion}`),
      );
      const kept = [
        ...["deployment", "service", "networkpolicy"].map((kind) => `${kind}/${live?.services[0]?.name}`),
        ...[...versions, `${name}-releases`].map((secret) => `secret/${secret}`),
      ];
      const list = ["get", [...kinds, "Secret"].join(","), "-l", `app.kubernetes.io/part-of=${name}`, "-o", "name"];
      const found = (await kubectl.run(list)).split("\n").map((object) => object.replace(/^([^./]+)[^/]*/, "$1"));
      return found.filter((object) => object !== "" && !kept.includes(object));
    },
  };
}

/** Sends requests to a service from inside the cluster without a pause, on kept and on new connections. */
export async function load({ image }: Namespace, url: string, seconds: number): Promise<() => Promise<object>> {
  const script = `const end = Date.now() + ${seconds * 1000}, answers = {};
    const ask = (headers) => fetch("${url}/health", { headers, signal: AbortSignal.timeout(10000) }).then(
      async (answer) => (await answer.text(), answer.status), (error) => error.cause?.code ?? error.name);
    const client = async (headers) => { while (Date.now() < end) {
      const answer = await ask(headers); answers[answer] = (answers[answer] ?? 0) + 1; } };
    Promise.all([client({}), client({}), client({}), client({ connection: "close" })])
      .then(() => console.log(JSON.stringify(answers)))`;
  const securityContext = {
    allowPrivilegeEscalation: false,
    runAsNonRoot: true,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  };
  const containers = [{ name: "load", image, command: ["/nodejs/bin/node", "-e", script], securityContext }];
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "load" },
    spec: { restartPolicy: "Never", containers },
  };
  await kubectl.run(["create", "-f", "-"], { input: JSON.stringify(pod) });
  await kubectl.run(["wait", "pod/load", "--for=condition=Ready", "--timeout=120s"], { timeoutMs: 130_000 });
  return async () => {
    const phase = ["get", "pod", "load", "-o", "jsonpath={.status.phase}"];
    while ((await kubectl.run(phase)) === "Running") await sleep(1000);
    return JSON.parse(await kubectl.run(["logs", "load"]));
  };
}
