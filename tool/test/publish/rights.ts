import { toKind } from "./kubectl.ts";
import type { Call } from "./stand-in.ts";

const groups: Record<string, string> = {
  Deployment: "apps/deployments",
  NetworkPolicy: "networking.k8s.io/networkpolicies",
  Ingress: "networking.k8s.io/ingresses",
  PodDisruptionBudget: "policy/poddisruptionbudgets",
  HorizontalPodAutoscaler: "autoscaling/horizontalpodautoscalers",
  HTTPRoute: "gateway.networking.k8s.io/httproutes",
  Job: "batch/jobs",
  Lease: "coordination.k8s.io/leases",
  Service: "/services",
  Secret: "/secrets",
  ConfigMap: "/configmaps",
  Pod: "/pods",
};

/** The rights that a call of kubectl needs in a namespace, each as `verb group/resource`. */
export function rightsFor({ args: [command = "", ...args], stdin }: Call): string[] {
  const need = (verbs: string[], kinds: string[]) =>
    kinds.flatMap((kind) => verbs.map((verb) => `${verb} ${groups[kind] ?? `unknown ${kind}`}`));
  const [first = ""] = args;
  switch (command) {
    case "get": {
      if (first === "events") return ["list /events"];
      const hasNames = args[1] !== undefined && !args[1].startsWith("-");
      return need([hasNames ? "get" : "list"], first.split(",").map(toKind));
    }
    case "create":
      return need(["create"], [JSON.parse(stdin).kind]);
    // A server-side apply creates a missing object.
    case "apply":
      return need(
        ["create", "patch"],
        JSON.parse(stdin).items.map(({ kind }: { kind: string }) => kind),
      );
    case "replace":
      return need(["get", "update"], [JSON.parse(stdin).kind]);
    case "patch":
      return need(["get", "patch"], [toKind(first)]);
    // kubectl reads an object before it deletes it.
    case "delete":
      return need(
        ["get", "delete"],
        args.filter((word) => !word.startsWith("-")).map((word) => toKind(word.split("/")[0] ?? "")),
      );
    case "logs":
      return ["get /pods", "get /pods/log"];
    default:
      return [];
  }
}

/** The rights that a Role in a file grants; its rules are written on three lines each. */
export function rightsIn(yaml: string): string[] {
  const list = (text = "") => text.split(",").map((word) => word.trim().replaceAll('"', ""));
  const rules = [...yaml.matchAll(/- apiGroups: \[(.*)\]\n +resources: \[(.*)\]\n +verbs: \[(.*)\]\n/g)];
  if (rules.length !== yaml.split("- apiGroups:").length - 1) throw new Error("A rule is not written as the others.");
  return rules.flatMap(([, groups, resources, verbs]) =>
    list(groups).flatMap((group) =>
      list(resources).flatMap((resource) => list(verbs).map((verb) => `${verb} ${group}/${resource}`)),
    ),
  );
}
