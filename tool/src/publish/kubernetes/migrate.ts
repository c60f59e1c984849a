import { setTimeout as sleep } from "node:timers/promises";
import type { IJob } from "kubernetes-models/batch/v1";
import type { IContainer } from "kubernetes-models/v1";
import { searchedLines } from "../cause.ts";
import type { ReleasedService } from "../release.ts";
import { migrationMs, type RunResult } from "../run.ts";
import { findPods, readCluster } from "./cluster.ts";
import { apply, kubectl } from "./kubectl.ts";
import type { KubernetesRelease } from "./manifests.ts";
import { toLabels } from "./names.ts";
import { specifyPod } from "./pod.ts";
import { remove } from "./prune.ts";

const deadlineSeconds = migrationMs / 1000;

/** Runs a service once, in a Job, to apply its migrations. */
export async function runMigrations(
  application: string,
  release: KubernetesRelease,
  service: ReleasedService,
  paceMs: number,
): Promise<RunResult> {
  const job = jobManifest(application, release, service);
  const name = job.metadata?.name ?? "";
  await apply([job]);
  try {
    for (;;) {
      const found = await kubectl.readJson<IJob>(["get", "job", name, "-o", "json", "--ignore-not-found"]);
      const { succeeded = 0, failed = 0 } = found?.status ?? {};
      const stuck = succeeded + failed > 0 ? undefined : await whyStuck(application, service);
      if (stuck !== undefined) return { isDone: false, lines: [], reason: stuck };
      if (!found || succeeded + failed > 0) return { isDone: succeeded > 0, lines: await readLog(name) };
      await sleep(paceMs);
    }
  } finally {
    await remove([`job/${name}`]);
  }
}

/** Another label than that of the service: its pod gets no requests. */
const toPodName = (service: string) => `${service}-migrate`;

export function jobManifest(application: string, release: KubernetesRelease, service: ReleasedService): IJob {
  const { containers, ...pod } = specifyPod(service, release.pullSecrets);
  const labels = toLabels(application, toPodName(service.name));
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: `${toPodName(service.name)}-${release.id}`, labels },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: deadlineSeconds,
      // If the publisher is cut off.
      ttlSecondsAfterFinished: deadlineSeconds,
      template: {
        metadata: { labels },
        spec: { ...pod, restartPolicy: "Never", containers: containers.map(toTask) },
      },
    },
  };
}

/** A container that ends, and serves nothing. */
function toTask({ name, image, env = [], resources, securityContext, volumeMounts }: IContainer): IContainer {
  const once = [...env.filter((variable) => variable.name !== "MIGRATE"), { name: "MIGRATE", value: "only" }];
  return {
    name,
    ...(image === undefined ? {} : { image }),
    env: once,
    ...(resources === undefined ? {} : { resources }),
    ...(securityContext === undefined ? {} : { securityContext }),
    ...(volumeMounts === undefined ? {} : { volumeMounts }),
  };
}

/** A pod that cannot start would wait until the deadline. */
async function whyStuck(application: string, { name }: ReleasedService): Promise<string | undefined> {
  const pods = findPods(await readCluster(application), toPodName(name));
  const waiting = pods.map(({ status }) => status?.containerStatuses?.[0]?.state?.waiting);
  const found = waiting.find((one) =>
    /^(ImagePullBackOff|InvalidImageName|CreateContainer\w*Error)$/.test(one?.reason ?? ""),
  );
  return found && `${found.reason}: ${found.message ?? ""}`;
}

async function readLog(job: string): Promise<string[]> {
  const log = await kubectl.run(["logs", `job/${job}`, `--tail=${searchedLines}`]).catch(() => "");
  return log.split("\n").filter(Boolean);
}
