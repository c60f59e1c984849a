import { createHash } from "node:crypto";
import type { IContainer, IPodSpec, IProbe } from "kubernetes-models/v1";
import type { ReleasedService } from "../release.ts";
import { secretName } from "./names.ts";

/** How long a terminating pod still answers, until the cluster sends it no more requests. */
const preStopSeconds = 5;
const secretsPath = "/run/secrets/dory";

/** The spec of every pod: no privileges that it does not need. */
export function specifyPod(service: ReleasedService, pullSecrets: string[] = []): IPodSpec {
  const { name, isBuilt, secretsVersion } = service;
  const secrets = { secretName: secretName(name, secretsVersion ?? ""), defaultMode: 0o440 };
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    ...(pullSecrets.length > 0 ? { imagePullSecrets: pullSecrets.map((name) => ({ name })) } : {}),
    terminationGracePeriodSeconds: graceSeconds(service),
    securityContext: {
      runAsNonRoot: true,
      ...(isBuilt ? { runAsUser: 65_532, runAsGroup: 65_532 } : {}),
      // Files of secrets belong to root and this group; the process is in the group.
      fsGroup: 65_532,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [specifyContainer(service)],
    volumes: [
      { name: "tmp", emptyDir: { sizeLimit: "64Mi" } },
      ...(secretsVersion === null ? [] : [{ name: "secrets", secret: secrets }]),
    ],
  };
}

/** A hash of what a pod runs: releases with the same hash share their pods. */
export function hashPod(service: ReleasedService, pullSecrets: string[] = []): string {
  const { image, port, env, secrets, secretsVersion, isBuilt } = service;
  const parts = [image, port, Object.entries(env).sort(), secrets, secretsVersion, isBuilt, pullSecrets];
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 12);
}

function specifyContainer(service: ReleasedService): IContainer {
  const { name, image, port, secrets, secretsVersion } = service;
  const probe = chooseProbe(service);
  return {
    name,
    image,
    ports: [{ name: "http", containerPort: port }],
    env: [
      ...Object.entries(listVariables(service)).map(([name, value]) => ({ name, value })),
      ...secrets.map((name) => ({ name: `${name}_FILE`, value: `${secretsPath}/${name}` })),
    ],
    startupProbe: { ...probe, periodSeconds: 2, failureThreshold: 30 },
    readinessProbe: { ...probe, periodSeconds: 5, failureThreshold: 2 },
    // Tolerant: a database that is down for a moment is no reason to restart.
    livenessProbe: { ...probe, periodSeconds: 10, failureThreshold: 6 },
    // An image without a shell cannot sleep by itself; the cluster can (Kubernetes 1.30 and later).
    lifecycle: { preStop: { sleep: { seconds: preStopSeconds } } },
    resources: {
      requests: { cpu: "100m", memory: "128Mi", "ephemeral-storage": "64Mi" },
      limits: { cpu: "1", memory: "512Mi", "ephemeral-storage": "256Mi" },
    },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    },
    volumeMounts: [
      { name: "tmp", mountPath: "/tmp" },
      ...(secretsVersion === null ? [] : [{ name: "secrets", mountPath: secretsPath, readOnly: true }]),
    ],
  };
}

/** Our backends report their health; for other images only the port can be checked. */
function chooseProbe({ isBuilt }: ReleasedService): IProbe {
  return isBuilt
    ? { httpGet: { path: "/health", port: "http" }, timeoutSeconds: 3 }
    : { tcpSocket: { port: "http" }, timeoutSeconds: 3 };
}

/** No drain delay: the cluster stops sending requests before it sends SIGTERM. */
function listVariables({ isBuilt, port, env }: ReleasedService): Record<string, string> {
  return isBuilt ? { PORT: String(port), DRAIN_DELAY_MS: "0", ...env } : env;
}

/** The preStop wait, the shutdown of the process, and a margin. */
function graceSeconds({ env }: ReleasedService): number {
  const { DRAIN_DELAY_MS: drain = "0", SHUTDOWN_TIMEOUT_MS: shutdown = "10000" } = env;
  return preStopSeconds + Math.ceil((Number(drain) + Number(shutdown)) / 1000) + 5;
}
