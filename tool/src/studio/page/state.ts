import { computed, signal } from "@preact/signals";
import type {
  BackendKey,
  BackendState,
  BenchRound,
  Boot,
  CheckResult,
  ChoiceFault,
  Comparison,
  Job,
  JobKind,
  Preview,
  ProjectAnswer,
  PublishEvent,
  PublishOptions,
  State,
} from "../api.ts";
import { readView } from "./address.ts";
import { type ProjectChoices, readChoices, writeChoices } from "./choices.ts";
import { findBeside } from "./run/keys.ts";
import type { Answer, Known } from "./run/known.ts";

/** All that the page knows. Actions (actions.ts) and events of the server (events.ts) change it, components show it. */

const boot: Boot = JSON.parse(document.getElementById("boot")?.textContent ?? "null");

export const options = boot.options;
/** What the server does and has. */
export const studio = signal<State>(boot.state);
export const isLocal = boot.state.mode === "local";

const given = location.search.slice(1);
export const choices = signal<ProjectChoices>(
  readChoices(given || (boot.state.project?.query ?? ""), options.defaults),
);
export const query = computed(() => writeChoices(choices.value));
/** Whether several services are chosen. */
export const isApplication = computed(() => choices.value.services.length > 0);
const beside = findBeside(boot.state.backends);
export const view = signal({ ...(beside === undefined ? {} : { beside }), ...readView(location.hash) });

/** The command of the choices that the page was opened with, until the first answer. */
export const firstCommand = boot.command;

/** What the server says about the choices; the one before it while an answer is on its way. */
export const preview = signal<Preview | null>(null);
/** What the reader of a link should know. */
export const notes = signal<string[]>([]);
/** Why the server could not be asked. */
export const failure = signal("");
/** Whether events arrive. */
export const isConnected = signal(true);

/** The choices that a change was previewed for. */
export const plannedChange = signal("");
/** The texts of the files, of the choices that have this digest. */
export const project = signal<ProjectAnswer | null>(null);
/** What the comparison of the files found; `key` says of which projects. */
export const comparison = signal<{ key: string; result: Comparison } | null>(null);

/** What is filled in under Publish. The values of secrets are nowhere else. */
export interface PublishForm {
  target: string;
  options: PublishOptions;
  secrets: Record<string, string>;
  /** Secrets whose value in the environment may be used. */
  env: string[];
  /** Whether it was changed since it was planned. */
  isChanged: boolean;
}
export const publishForm = signal<PublishForm>({
  target: boot.state.plan?.target ?? "docker",
  options: {},
  secrets: {},
  env: [],
  isChanged: false,
});

/** What answers offer for other requests, by the address of their backend: one that is started again may have lost it. */
export const known = signal<Record<string, Known>>({});

/** What is filled in for an operation, and what came back; by the address of the backend and the operation. */
export interface RequestForm {
  values: Record<string, string>;
  /** Undefined as long as nobody types. */
  body?: string;
  token: number;
  answers: Answer[];
}
export const requestForms = signal<Record<string, RequestForm>>({});

export interface LogLine {
  id: number;
  job: string | null;
  backend: BackendKey | null;
  text: string;
}
export const lines = signal<LogLine[]>([]);

/** The latest run of the suite on a backend. */
export interface CheckRun {
  job: string;
  names: string[];
  results: Record<string, CheckResult>;
}
export const checkRuns = signal<Record<BackendKey, CheckRun>>({});
export const rounds = signal<{ job: string; rounds: BenchRound[] }>({ job: "", rounds: [] });
export const publishEvents = signal<Record<string, PublishEvent[]>>({});

/** The fault at a control. */
export function findFault(
  parameter: ChoiceFault["parameter"],
  index?: number,
  field?: number,
): ChoiceFault | undefined {
  return preview.value?.faults.find((one) => one.parameter === parameter && one.index === index && one.field === field);
}

export function findLatestJob(kind: JobKind | JobKind[], about?: string): Job | undefined {
  const kinds = [kind].flat();
  return studio.value.jobs.findLast((job) => kinds.includes(job.kind) && (about === undefined || job.about === about));
}

export const isRunning = (job: Job | undefined) => job?.state === "running";

export function findBackend(key: BackendKey): BackendState | undefined {
  return studio.value.backends.find((backend) => backend.key === key);
}

/** Whether the choices are those of the project, so that what runs is the project itself. */
export const isProject = computed(() => {
  const { project } = studio.value;
  return project !== null && isSameQuery(project.query, preview.value?.query ?? query.value);
});

/** Whether the choices would change the project. Another name is another project. */
export const isChange = computed(() => {
  const { project } = studio.value;
  return project !== null && project.name === choices.value.name && !isProject.value;
});

/** Whether two queries make the same project. */
export function isSameQuery(one: string, other: string): boolean {
  const sort = (text: string) => [...new URLSearchParams(text)].map(String).sort().join("&");
  return sort(one) === sort(other);
}
