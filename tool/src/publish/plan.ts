import { findCause } from "./cause.ts";
import type { NewMigration } from "./migrations.ts";
import { hashConfiguration, type Release, type ReleasedService } from "./release.ts";
import type { Instance, Snapshot } from "./snapshot.ts";

/** What a publish would change, compared with what is live. */
export interface Plan {
  application: string;
  target: string;
  commit: string | null;
  isDirty: boolean;
  replicas: number;
  live: string | null;
  services: PlannedService[];
}

export interface PlannedService {
  name: string;
  /** Its Dockerfile, or a prebuilt image. */
  from: string;
  port: number;
  env: string[];
  secrets: { names: string[]; version: string | null };
  /** Compared with the live release; null if that has no such service. */
  changes: string[] | null;
  /** Those that the live release does not have. */
  migrations: NewMigration[];
}

/** The differences in configuration; whether the image differs is known once it is built. */
export function listChanges(
  before: ReleasedService | undefined,
  after: Omit<ReleasedService, "image">,
): string[] | null {
  if (!before) return null;
  const names = new Set([...Object.keys(before.env), ...Object.keys(after.env)]);
  const env = [...names].filter((name) => before.env[name] !== after.env[name]).map((name) => `variable ${name}`);
  const secrets = before.secretsVersion === after.secretsVersion ? [] : ["secrets"];
  const port = before.port === after.port ? [] : ["port"];
  return [...env, ...secrets, ...port];
}

export function printPlan(plan: Plan): string {
  const commit = plan.commit ? `commit ${plan.commit.slice(0, 12)}` : "no commit";
  const lines = [
    `${plan.application} to ${plan.target}: ${commit}${plan.isDirty ? ", with changes that are not committed" : ""}`,
    `  live now: ${plan.live ?? "nothing"}${plan.replicas > 1 ? `; replicas: ${plan.replicas}` : ""}`,
    ...plan.services.flatMap(printService),
  ];
  return lines.join("\n");
}

function printService({ name, from, port, env, secrets, changes, migrations }: PlannedService): string[] {
  return [
    `  ${name}: ${from}, port ${port}`,
    `    variables: ${env.join(", ") || "none"}`,
    `    secrets: ${secrets.names.join(", ") || "none"}${secrets.version ? ` (version ${secrets.version})` : ""}`,
    `    configuration: ${changes === null ? "new" : changes.length === 0 ? "unchanged" : `changes in ${changes.join(", ")}`}`,
    ...(migrations.length > 0 ? [`    new migrations: ${migrations.map(({ name }) => name).join(", ")}`] : []),
  ];
}

/** For `dory releases`. */
export function printReleases(releases: Release[]): string {
  const rows = releases.toReversed().map((release) => {
    const { id, status, at, commit, isDirty, restores, reason } = release;
    const from = `${commit?.slice(0, 12) ?? "no commit"}${isDirty ? " (dirty)" : ""}`;
    const why = restores ? `restores ${restores}` : (reason ?? "");
    return [id, status, at.slice(0, 19).replace("T", " "), from, `config ${hashConfiguration(release)}`, why];
  });
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A release for output: the key of its secrets' versions stays at the target. */
export function withoutKey<R extends Release>({ secretsKey: _, ...release }: R): Omit<R, "secretsKey"> {
  return release;
}

/** An instance, with the line of its log that says why it is not ready or was restarted. */
export type ExplainedInstance = Omit<Instance, "lines"> & { cause?: string };

export interface Status extends Omit<Snapshot, "instances"> {
  release: Omit<Release, "secretsKey">;
  url: string;
  instances: ExplainedInstance[];
}

export function explainInstance({ lines = [], ...instance }: Instance): ExplainedInstance {
  const cause = findCause(lines);
  return { ...instance, ...(cause === undefined ? {} : { cause }) };
}

/** A release that is not live yet, and who publishes it; null if that publisher is gone. */
export interface Pending {
  release: Omit<Release, "secretsKey">;
  holder: string | null;
}

export function printPending({ release: { id, by }, holder }: Pending): string {
  return holder === null
    ? `${id} is pending, and its publisher (${by}) is gone: the next dory publish or dory rollback ends it first.`
    : `${id} is pending: ${holder} is publishing it.`;
}

/** For `dory status`. */
export function printStatus(application: string, status: Status): string {
  const { release, url, services, instances, outside } = status;
  const answer = outside ? [`  from outside: ${outside.status || "no answer"}`] : [];
  const lines = services.flatMap(({ name, wanted, image, problem }) => {
    const own = instances.filter(({ service }) => service === name);
    const ready = own.filter(({ isReady, isCurrent }) => isReady && isCurrent).length;
    return [
      `  ${name}: ${ready} of ${wanted} ready${problem ? `, ${problem}` : ""}, ${image ?? "gone"}`,
      ...own.map(printInstance),
    ];
  });
  return [`${application} ${release.id} at ${url}, since ${release.at}`, ...lines, ...answer].join("\n");
}

function printInstance({ id, state, restarts, isReady, health, cause }: ExplainedInstance): string {
  const restarted = restarts > 0 ? `, restarted ${restarts} times` : "";
  return `    ${id}: ${state}${restarted}${isReady || !health ? "" : `, ${health.split("\n", 1)[0]}`}${cause ? `; its log says: ${cause.slice(0, 300)}` : ""}`;
}
