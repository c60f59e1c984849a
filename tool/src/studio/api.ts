/**
 * What the page and the server of `dory studio` say to each other. Only types: both sides import them.
 *
 * | Request | Answer | In public mode |
 * | --- | --- | --- |
 * | `GET /options` | `Options` | yes |
 * | `GET /projects/NAME.json?QUERY` | `ProjectAnswer` | yes |
 * | `GET /projects/NAME.tgz?QUERY`, `.zip` | the archive | yes |
 * | `GET /projects/NAME.diff?QUERY&against=QUERY` | a unified diff | yes |
 * | `POST /api/preview` with `PreviewRequest` | `Preview` | yes |
 * | `POST /api/compare` with `CompareRequest` | `Comparison` | yes |
 * | `GET /api/state` | `State` | yes, with `mode: "public"` |
 * | `GET /api/openapi?backend=KEY` | the `openapi.json` of a backend | no |
 * | `POST /api/project` with `OpenRequest` | `State` | no |
 * | `POST /api/jobs` with `JobRequest` | 202, `{ id }` | no |
 * | `DELETE /api/jobs/ID` | 204: the job is cancelled, as Ctrl-C would do it | no |
 * | `GET /api/events` | server-sent events: `StudioEvent` | no |
 * | `POST /api/send` with `SendRequest` | `SendAnswer` | no |
 *
 * A QUERY has the flags of `dory new` as parameters: `framework=hono&field=name:string&with=auth`; `name` too, where the path
 * does not have it. Every failure is a `Problem`. A request with a body is JSON, and carries the page's own `Origin`.
 *
 * The page is `index.html`. Its server puts `Boot` into it, as the element `<script type="application/json" id="boot">` in the
 * place of `<!--boot-->`, so that nothing must be fetched before the first paint.
 */

import type { PublishRequest, RollbackRequest } from "../publish/request.ts";

export interface Boot {
  options: Options;
  state: State;
  /** The command that repeats the choices of the address, as `Preview` has it. */
  command: string;
}

/** A failure: RFC 9457. */
export interface Problem {
  type: "about:blank";
  title: string;
  status: number;
  code: string;
  /** What happened and what to do, in the words of the command line. */
  detail: string;
  /** The parameter that is wrong; with several, the first. */
  parameter?: string;
  errors?: { parameter: string; index?: number; detail: string }[];
}

/** What can be asked for. */
export interface Options {
  version: string;
  frameworks: Choice[];
  databases: Choice[];
  features: Choice[];
  sources: Choice[];
  nodes: Choice[];
  types: TypeChoice[];
  targets: TargetChoice[];
  /** The options of publishing that every target takes. */
  publish: PublishField[];
  defaults: Defaults;
  /** What a name, a field and a resource may be, in one sentence each, with an example. */
  texts: { name: string; field: string; fieldExamples: string[]; resource: string; resourceExample: string };
}

/** What is asked for if a parameter is left out. */
export interface Defaults {
  /** A suggestion: it has no default. */
  name: string;
  framework: string;
  database: string;
  node: string;
  /** Fields as they are written, `name:string(1..200)`. */
  fields: string[];
}

export interface Choice {
  /** As in a request: `nest`. */
  name: string;
  /** As people write it: `NestJS`. */
  title: string;
  /** One sentence. */
  sentence: string;
}

/** A type of field. */
export interface TypeChoice extends Choice {
  /** A field of this type, as it is written. */
  example: string;
  /** What stands between its brackets: `1..200`, `a|b|c`, the name of a resource, or nothing. */
  bounds: "range" | "values" | "resource" | "none";
  canBeUnique: boolean;
  canHaveDefault: boolean;
}

/** A place to publish to. */
export interface TargetChoice extends Choice {
  /** It has not been run on the real platform yet. */
  isPreview: boolean;
  /** The options of `dory publish` that it takes, in the order of a form. */
  fields: PublishField[];
}

/** A flag of `dory publish` as a control: a text, or a box to tick. */
export type PublishField = {
  name: keyof PublishOptions;
  title: string;
  sentence: string;
  isRequired: boolean;
} & (
  | { type: "text" /** Its default. */; placeholder: string }
  | { type: "checkbox" /** What it sets: some flags switch something off. */; checked: boolean }
);

/** Options of `dory publish`; a text that is empty is left out. */
export type PublishOptions = Omit<PublishRequest, "folder" | "to">;

/** Options of `dory rollback`. */
export type RollbackOptions = Pick<RollbackRequest, "keep-secrets" | "wait" | "health-seconds" | "watch-seconds">;

/** `GET /projects/NAME.json`. */
export interface ProjectAnswer {
  request: RequestAnswer;
  version: string;
  /** The SHA-256 of what `sha256sum` prints for all files in the order of their paths, in hexadecimal digits. */
  digest: string;
  files: { path: string; text: string }[];
}

/** A request as `dory.json` has it. Fields and resources are as they are written on the command line. */
export interface RequestAnswer {
  name: string;
  /** Of an application, each service has one. */
  framework?: string;
  services?: { name: string; framework: string }[];
  fields: string[];
  resources?: string[];
  database: string;
  features?: string[];
  webhooks?: string[];
  node: string;
}

export interface PreviewRequest {
  /** The query of the page's address, without the question mark. */
  query: string;
}

export interface Preview {
  version: string;
  /** The `npx dory new …` line that repeats it. It is there also if there are faults. */
  command: string;
  /** The same choices in their usual form, for the address: without what is not known, with the name. */
  query: string;
  /** `query` with the version and the digest, for a link to share. */
  link: string;
  /** What the choices are, as far as they can be read: parameters of the address by name. */
  choices: Choices;
  faults: ChoiceFault[];
  /** What the reader of a link should know, in sentences: unknown parameters, another version, other files. */
  notes: string[];
  /** What was asked for, if it has no fault. The other members are null then, and empty lists. */
  request: RequestAnswer | null;
  digest: string | null;
  files: FileEntry[];
  figures: Figures | null;
}

/** Parameters as they were given, each with all of its values; what has a default has it. */
export interface Choices {
  name: string;
  /** Empty if services have frameworks of their own. */
  framework: string;
  service: string[];
  database: string;
  node: string;
  field: string[];
  resource: string[];
  with: string[];
  webhook: string[];
}

/** A wrong choice. It stands at its control. */
export interface ChoiceFault {
  parameter: keyof Choices;
  /** Which of the values, if it may be repeated. */
  index?: number;
  /** Which field of that resource; without it, the fault is in its name or in all of it. */
  field?: number;
  /** `field_name`, `field_type`, `field_malformed` (its bounds), `field_default`, `field_unique`, …: stable. */
  code: string;
  message: string;
}

export interface FileEntry {
  path: string;
  lines: number;
  /** In bytes. */
  size: number;
}

export interface Figures {
  files: number;
  /** Of the owner's code and of everything else that is read: neither the tools in `.dory` nor `openapi.json`. */
  lines: number;
  size: number;
  dependencies: number;
  devDependencies: number;
}

export interface CompareRequest {
  query: string;
  /** The query of the other project; its name is that of this one unless it has one. */
  against: string;
}

/** What changes from the project of `against` to that of `query`. */
export interface Comparison {
  before: Figures;
  after: Figures;
  files: ComparedFile[];
}

export interface ComparedFile {
  path: string;
  state: "added" | "removed" | "changed";
  added: number;
  removed: number;
  /** The hunks of a unified diff, without the names of the files; empty if the file is too large to be shown. */
  diff: string;
}

export interface State {
  mode: "local" | "public";
  version: string;
  /** The folder that the studio was started for; empty in public mode. */
  folder: string;
  /** The project in it, or the one that was opened or made below it. */
  project: ProjectState | null;
  /** Why the project in this folder cannot be shown or changed; null if it can, or if there is none. */
  projectFault: string | null;
  /** Projects in the folders right below, by their paths below `folder`. */
  projects: string[];
  backends: BackendState[];
  /** The latest 100, oldest first. */
  jobs: Job[];
  /** By target: what was published from this project, as far as this studio knows. A `status` job asks again. */
  releases: Record<string, ReleasesState>;
  /** The plan that `publish` would carry out. */
  plan: PlanState | null;
  /** The id of the latest event. */
  lastEvent: number;
}

export interface ProjectState {
  /** Below `folder`; `.` is `folder` itself. */
  folder: string;
  name: string;
  request: RequestAnswer;
  /** The choices of the request as a query; empty if the page has no controls for them. */
  query: string;
  /** The version of Dory that made it. */
  dory: string;
  /** Names of the secrets that it declares for publishing. */
  secrets: string[];
  /** Those of them that have a value in `.env`, which is used if none is typed. */
  knownSecrets: string[];
  /** Those of them that have a value in the environment only: it is used if the person allows it. */
  environmentSecrets: string[];
  /** Whether packages are installed. */
  isInstalled: boolean;
  /** Whether there are changes that are not committed. */
  isDirty: boolean;
  hasRepository: boolean;
}

/** `main` is the project, `other` the same in another framework. Other keys are possible: letters and digits. */
export type BackendKey = string;

export interface BackendState {
  key: BackendKey;
  name: string;
  framework: string;
  /** The choices that it was made from; null for the project in the folder. */
  query: string | null;
  state: "preparing" | "running" | "stopped" | "failed";
  /** Where it listens, if it runs. */
  url: string | null;
  /** Why it failed. */
  reason: string | null;
  /** The variables that were made up for it, by name: its tokens can be used with `Send`. */
  tokens: string[];
}

export interface OpenRequest {
  /** Below the studio's folder. */
  folder: string;
}

export type JobRequest =
  /** `dory new`, in `folder` below the studio's folder; by default the name. */
  | { kind: "create"; query: string; folder?: string }
  /** What a change would do: the merge, with its conflicts. `update` keeps the request. Result: `ChangePreview`. */
  | { kind: "preview-change"; query: string }
  /** Does it. Result: `ChangePreview`. */
  | { kind: "change"; query: string }
  /** Starts the project, or, with `query`, one that is made in a temporary folder. Result: `BackendState`. */
  | { kind: "start"; backend: BackendKey; query?: string }
  | { kind: "stop"; backend: BackendKey }
  /** Runs the suite. Result: `CheckSummary`. */
  | { kind: "check"; backend: BackendKey }
  /** Alternating rounds. Result: `BenchResult`. */
  | { kind: "bench"; backends: BackendKey[] }
  /** Result: `PlanState`. Secrets that are not given come from `.env` of the project; those in `env` from the environment. */
  | { kind: "plan"; target: string; options: PublishOptions; secrets: Record<string, string>; env?: string[] }
  /** Only with the plan of `State`, and only while that is still true. Result: `PublishResult`. */
  | { kind: "publish"; plan: string }
  | { kind: "rollback"; target: string; release?: string; options?: RollbackOptions }
  /** Result: `ReleasesState`. */
  | { kind: "status"; target: string }
  /** Its lines are events. With `follow` it goes on until it is cancelled. */
  | { kind: "logs"; target: string; options?: { lines?: string; follow?: boolean } }
  /** `name` is the project's name, typed again. */
  | { kind: "unpublish"; target: string; name: string; options?: { "delete-data"?: boolean; wait?: boolean } }
  /** Deletes the secrets of earlier releases. */
  | { kind: "prune-secrets"; target: string; options?: { wait?: boolean } };

export type JobKind = JobRequest["kind"];

export interface Job {
  id: string;
  kind: JobKind;
  /** The backend or target that it is about. */
  about: string | null;
  state: "running" | "done" | "failed" | "cancelled";
  startedAt: string;
  endedAt: string | null;
  /** By kind, as `JobRequest` says. */
  result: unknown;
  /** Why it failed, in the words of the command line. */
  fault: { code: string; message: string; parameter?: string } | null;
}

/** The data of a server-sent event; its `id` is that of the event. A page that connects again gets what it has missed. */
export type StudioEvent = { id: number; at: string } & (
  | { type: "job"; job: Job }
  | { type: "backend"; backend: BackendState }
  /** A line of a program's output, or of a backend's log. */
  | { type: "line"; job: string | null; backend: BackendKey | null; text: string }
  /** The names of all checks, before the first runs. */
  | { type: "checks"; job: string; backend: BackendKey; checks: string[] }
  | { type: "check"; job: string; backend: BackendKey; check: CheckResult }
  | { type: "bench"; job: string; round: BenchRound }
  /** What `dory publish --json` prints, and `rollback` and `unpublish` likewise. */
  | { type: "publish"; job: string; event: PublishEvent }
  /** Something else of `State` is new: ask for it again. */
  | { type: "state" }
);

export interface CheckResult {
  /** Its sentence. */
  check: string;
  state: "passed" | "failed" | "skipped";
  /** Why it failed or was skipped. */
  reason: string | null;
  ms: number;
  /** At most the last 20, each at most 4,000 characters. */
  exchanges: Exchange[];
}

/** A request and its answer, as text: the first line, the headers, and the body. Tokens are masked. */
export interface Exchange {
  request: string;
  answer: string | null;
}

export interface CheckSummary {
  passed: number;
  failed: number;
  skipped: number;
  total: number;
}

export interface BenchRound {
  backend: BackendKey;
  round: number;
  rounds: number;
  /** Requests a second. */
  rate: number;
}

export interface BenchResult {
  /** What was asked: `GET /items`, … */
  request: string;
  backends: { backend: BackendKey; framework: string; median: number; min: number; max: number }[];
  /** The median of the first divided by that of the second, and its spread over the rounds; null with one backend. */
  ratio: { median: number; min: number; max: number } | null;
}

export interface ChangePreview {
  /** The subject of the commit: `Add auth, change framework to koa`. */
  title: string;
  /** What the owner should know, as the command line prints it. */
  notes: string[];
  files: ComparedFile[];
  /** The paths with conflicts. */
  conflicts: string[];
  isNothing: boolean;
}

export interface PlanState {
  /** For `publish`. */
  id: string;
  target: string;
  /** As `dory publish --plan` prints it. */
  text: string;
  plan: {
    application: string;
    target: string;
    commit: string | null;
    isDirty: boolean;
    replicas: number;
    live: string | null;
    services: { name: string; from: string; port: number; env: string[]; changes: string[] | null }[];
  };
  warnings: string[];
}

export type PublishEvent =
  | {
      event: "step";
      step: string;
      title?: string;
      state: "started" | "running" | "done" | "failed";
      ms?: number;
      text?: string;
    }
  | { event: "note"; text: string }
  | { event: "plan"; [member: string]: unknown }
  | {
      event: "result";
      ok: boolean;
      release?: string;
      url?: string;
      isUnchanged?: boolean;
      code?: string;
      message?: string;
      outcome?: string;
    };

export interface PublishResult {
  release: string;
  url: string;
  isUnchanged: boolean;
}

export interface ReleasesState {
  url: string | null;
  /** Newest first. */
  releases: ReleaseRow[];
  /** What `dory status` prints; null if nothing is live. */
  status: string | null;
}

export interface ReleaseRow {
  id: string;
  status: string;
  at: string;
  commit: string | null;
  isDirty: boolean;
  restores: string | null;
  reason: string | null;
  isLive: boolean;
}

export interface SendRequest {
  backend: BackendKey;
  method: string;
  /** With its query. */
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface SendAnswer {
  status: number;
  statusText: string;
  headers: [name: string, value: string][];
  /** At most 256 KiB. */
  body: string;
  isTruncated: boolean;
  ms: number;
}
