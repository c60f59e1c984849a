import { Fault, listChoices } from "../fault.ts";
import type { Target } from "./target.ts";

/** Each target is loaded when it is used. */
const targets: Record<string, () => Promise<Target>> = {
  "cloud-run": async () => (await import("./cloud-run/driver.ts")).cloudRunTarget,
  docker: async () => (await import("./engine/driver.ts")).dockerTarget,
  fly: async () => (await import("./fly/driver.ts")).flyTarget,
  kubernetes: async () => (await import("./kubernetes/driver.ts")).kubernetesTarget,
  swarm: async () => (await import("./swarm/driver.ts")).swarmTarget,
};

export const targetNames = Object.keys(targets);

export const targetDescriptions: Record<string, { title: string; sentence: string }> = {
  "cloud-run": { title: "Cloud Run", sentence: "A service on Google Cloud." },
  docker: { title: "Docker", sentence: "The container engine of this machine, or the one at DOCKER_HOST." },
  fly: { title: "Fly", sentence: "An app on Fly.io." },
  kubernetes: { title: "Kubernetes", sentence: "The cluster and namespace of the current context of kubectl." },
  swarm: { title: "Docker Swarm", sentence: "The swarm that the engine is a manager of." },
};

/** Targets that have not been run on the real platform yet. */
export const previews = ["cloud-run", "fly"];

export async function loadTarget(name: string): Promise<Target> {
  const found = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (!found) throw new Fault("unknown_target", listChoices("target", name, targetNames));
  return found();
}
