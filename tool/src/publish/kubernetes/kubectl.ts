import { Fault } from "../../fault.ts";
import { createProgram } from "../program.ts";

export const kubectl = createProgram(
  "kubectl",
  "The kubectl command is not installed. Install it (https://kubernetes.io/docs/tasks/tools) and try again.",
  [
    [
      /resource type "HTTPRoutes?"|no matches for kind "HTTPRoute"/i,
      "no_gateway_api",
      "The cluster has no Gateway API, which the gateway in dory.json needs. Install it, or remove publish.kubernetes.gateway there: --domain then makes an Ingress.",
    ],
    [
      /current-context (is not set|must exist)|no configuration has been provided|context .* does not exist|server localhost:8080/i,
      "no_context",
      "kubectl has no cluster. Choose one with kubectl config use-context, or set KUBECONFIG.",
    ],
    [
      /Unauthorized|must be logged in|provide credentials|getting credentials|credential plugin/i,
      "cluster_login",
      "You are not logged in to the cluster. Log in and try again.",
    ],
    [
      /namespaces? "[^"]*" not found/i,
      "no_namespace",
      "The namespace does not exist. Make it with kubectl create namespace, or choose another one with kubectl config set-context --current --namespace.",
    ],
    [
      /\bforbidden\b/i,
      "cluster_forbidden",
      "You do not have permission in the cluster. Ask its owner for it, or choose another namespace.",
    ],
    [
      /Unable to connect|was refused|connection refused|i\/o timeout|no such host|no route to host|TLS handshake|EOF\s*$|deadline exceeded/i,
      "cluster_unreachable",
      "The cluster does not answer. Check the connection, then run the same command again.",
    ],
  ],
);

/** Overrides changes that others made to Dory's objects. */
export const applyArgs = ["apply", "--server-side", "--field-manager=dory", "--force-conflicts", "-f", "-"];

/** Applies objects, passed on stdin. */
export async function apply(manifests: object[], how: { isSecret?: boolean } = {}): Promise<void> {
  const list = { apiVersion: "v1", kind: "List", items: manifests };
  if (manifests.length > 0) await kubectl.run(applyArgs, { input: JSON.stringify(list), ...how });
}

/** The cluster and namespace that kubectl is set to. */
export async function readPlace(): Promise<{ context: string; namespace: string }> {
  const view = ["config", "view", "--minify", "-o", "json"];
  interface Config {
    "current-context"?: string;
    contexts?: { context?: { namespace?: string } }[];
  }
  const config = await kubectl.readJson<Config>(view, { timeoutMs: 20_000 });
  return {
    context: config?.["current-context"] ?? "",
    namespace: config?.contexts?.[0]?.context?.namespace ?? "default",
  };
}

/** The preStop sleep needs Kubernetes 1.30. */
export async function checkVersion(): Promise<void> {
  interface Versions {
    serverVersion?: { major: string; minor: string };
  }
  const found = await kubectl.readJson<Versions>(["version", "-o", "json"], { timeoutMs: 20_000 });
  const { major = "0", minor = "0" } = found?.serverVersion ?? {};
  if (Number(major) > 1 || Number.parseInt(minor, 10) >= 30) return;
  throw new Fault("cluster_too_old", `The cluster is Kubernetes ${major}.${minor}; 1.30 or later is needed.`);
}
