import { findCause, shownLines } from "./cause.ts";

/**
 * The state of a release at one moment. Waiting, watching, status, recovery and the reason for a failure all use it,
 * for every target.
 */
export interface Snapshot {
  services: ObservedService[];
  instances: Instance[];
  /** The answer to a request from outside, if the target can be asked. */
  outside?: Answer;
}

export interface ObservedService {
  name: string;
  /** By digest; undefined if there is no such service. */
  image?: string;
  /** How many instances must be ready. */
  wanted: number;
  /** What the platform itself says is wrong, or not done yet. */
  problem?: string;
  /** Whether waiting will not help: the platform has given up. */
  isHopeless?: boolean;
  /** The last lines of its log, if they were asked for, if the platform has one log for all instances. */
  lines?: string[];
}

/** A container, task, pod or machine. */
export interface Instance {
  id: string;
  service: string;
  /** Whether it runs what the release says: image, configuration and secrets. */
  isCurrent: boolean;
  isReady: boolean;
  restarts: number;
  /** In the platform's words. */
  state: string;
  /** The last answer of its health check. */
  health?: string;
  /** Whether waiting will not help: it ended, keeps crashing, or cannot be started. */
  isHopeless?: boolean;
  /** The last lines of its log, if they were asked for and it is not ready or was restarted. */
  lines?: string[];
  /** What the platform reports about it, the most useful first. */
  events?: string[];
}

export interface Answer {
  /** Zero if there was no answer. */
  status: number;
  body: string;
  /** Whether an instance of the release answered. */
  isCurrent: boolean;
}

/** Why a release does not serve yet; undefined if all of its services do. */
export function whyNotServing({ services, instances }: Snapshot): string | undefined {
  for (const { name, image, wanted, problem } of services) {
    if (image === undefined) return `${name} does not exist`;
    if (problem !== undefined) return `${name}: ${problem}`;
    const ready = instances.filter(({ service, isCurrent, isReady }) => service === name && isCurrent && isReady);
    if (ready.length < wanted) return `${name}: ${ready.length} of ${wanted} ready`;
  }
  return undefined;
}

/** Why the release does not answer from outside; undefined if it does, or if the target cannot be asked. */
export function whyNotReachable({ outside }: Snapshot): string | undefined {
  if (!outside) return undefined;
  const { status, body, isCurrent } = outside;
  const isServed = status > 0 && status < 500;
  if (isServed && isCurrent) return undefined;
  return `from outside it answers ${`${status || ""} ${body}`.trim().slice(0, 300) || "nothing"}${isServed ? ", from another release" : ""}`;
}

/** Why waiting will not help. Instances in `known` are older than the release and do not count. */
export function whyHopeless({ services, instances }: Snapshot, known: Set<string>): string | undefined {
  const service = services.find(({ isHopeless }) => isHopeless);
  if (service) return `${service.name}: ${service.problem}`;
  const lost = instances.find(({ id, isCurrent, isHopeless }) => isCurrent && isHopeless && !known.has(id));
  return lost && `${lost.service}: ${lost.id} ${lost.state}`;
}

/** What crashed between two snapshots, even if it is ready again. */
export function findCrash(before: Snapshot, after: Snapshot): string | undefined {
  const known = new Map(before.instances.map(({ id, restarts }) => [id, restarts]));
  const failed = new Set(before.instances.filter(({ isHopeless }) => isHopeless).map(({ id }) => id));
  const crashed = after.instances.find(
    ({ id, isCurrent, restarts, isHopeless = false }) =>
      isCurrent && (restarts > (known.get(id) ?? 0) || (isHopeless && !failed.has(id))),
  );
  return crashed && `${crashed.service}: ${crashed.id} crashed (${crashed.state})`;
}

/** The ready instances of this release. */
export const listReady = ({ instances }: Snapshot) =>
  instances.filter(({ isCurrent, isReady }) => isCurrent && isReady);

/** What a person needs to find the cause: the state, the last health answer, the last lines of the log. */
export function explain(reason: string, { services, instances }: Snapshot): string {
  // One that crashed may be ready again: then it has lines.
  const unwell = instances.filter(({ isCurrent, isReady, lines }) => isCurrent && (!isReady || lines !== undefined));
  const ordered = unwell.toSorted((a, b) => Number(b.isHopeless ?? false) - Number(a.isHopeless ?? false));
  const lines = services.flatMap((service) => service.lines ?? []);
  const cause = ordered.map((instance) => findCause(instance.lines ?? [])).find(Boolean) ?? findCause(lines);
  const [first = "", ...others] = reason.split("\n");
  return [
    cause === undefined ? first : `${first.replace(/\.$/, "")}. Its log says: ${shorten(cause)}`,
    ...others,
    ...ordered.slice(0, 3).flatMap(explainInstance),
    ...printSection("Last lines of the log:", lines.slice(-shownLines)),
  ].join("\n");
}

function explainInstance({ id, state, restarts, health, lines = [], events = [] }: Instance): string[] {
  return [
    shorten(`${id}: ${state}${restarts > 0 ? `, restarted ${restarts} times` : ""}`),
    ...(health ? [`Last health answer: ${health.split("\n").slice(-3).map(shorten).join("\n")}`] : []),
    ...printSection("Last lines of its log:", lines.slice(-shownLines)),
    ...printSection("Events:", events),
  ];
}

const printSection = (title: string, lines: string[]) =>
  lines.length > 0 ? [title, ...lines.map((line) => `  ${shorten(line)}`)] : [];

const widest = 300;
const shorten = (text: string) => (text.length > widest ? `${text.slice(0, widest)}…` : text);
