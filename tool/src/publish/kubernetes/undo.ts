import type { IDeployment } from "kubernetes-models/apps/v1";
import { liveOf } from "../release.ts";
import { type Attempt, ReleaseFault } from "../target.ts";
import { type Cluster, countsIn, deploymentOf, imageOf, lookAtCluster, runs, secretOf } from "./cluster.ts";
import { apply, kubectl, rolloutUndo, scaling } from "./kubectl.ts";
import { besideOf, type KubernetesRelease } from "./manifests.ts";
import { rollOut } from "./rollout.ts";
import { remove, removeBeside } from "./sweep.ts";

/** Brings the cluster back to what it had before a release; Kubernetes never does that by itself. */
export async function takeBack(
  { application, options }: Attempt,
  release: KubernetesRelease,
  releases: KubernetesRelease[],
  before: Cluster,
  cause: string,
): Promise<"unchanged" | "rolled_back"> {
  const names = release.services.map(({ name }) => name);
  try {
    const now = await lookAtCluster(application.name);
    const known = names.flatMap((name) => deploymentOf(before, name) ?? []);
    const changed = known.filter((was) => !isAs(deploymentOf(now, nameOf(was)), was));
    for (const was of changed) await kubectl.run(rolloutUndo(nameOf(was), revisionOf(was)));
    await remove(names.filter((name) => !deploymentOf(before, name)));
    const live = liveOf(releases);
    if (live) await restoreBeside(application.name, live, before, now);
    if (changed.length === 0) return "unchanged";
    await rollOut(changed.map(nameOf), Date.now() + options.healthMs * release.scale.min, () => {});
    await verify(application.name, changed);
    return "rolled_back";
  } catch (error) {
    throw new ReleaseFault(
      "rollback_failed",
      `${cause}\nTaking it back failed too: ${(error as Error).message}\nLook with kubectl get deployments,pods, and bring back what served with kubectl rollout undo deployment/${names[0]}.`,
      "rollback_failed",
    );
  }
}

/** How many pods there are, and what stands beside them, is no part of what `rollout undo` brings back. */
async function restoreBeside(application: string, live: KubernetesRelease, before: Cluster, now: Cluster) {
  await removeBeside(application, live);
  await apply(besideOf(application, live));
  const [was, is] = [countsIn(before), countsIn(now)];
  for (const [name, count] of Object.entries(was)) if (is[name] !== count) await kubectl.run(scaling(name, count));
}

async function verify(application: string, deployments: IDeployment[]): Promise<void> {
  const now = await lookAtCluster(application);
  const other = deployments.find((was) => !isAs(deploymentOf(now, nameOf(was)), was));
  if (other) throw new Error(`${nameOf(other)} is still not what it was.`);
}

const isAs = (now: IDeployment | undefined, was: IDeployment) =>
  now !== undefined &&
  runs(now, imageOf(was), secretOf(was)) &&
  JSON.stringify(now.spec?.template) === JSON.stringify(was.spec?.template);

const nameOf = ({ metadata }: IDeployment) => metadata?.name ?? "";
const revisionOf = ({ metadata }: IDeployment) => metadata?.annotations?.["deployment.kubernetes.io/revision"] ?? "0";
