import { execute } from "../execute.ts";
import { Fault } from "../fault.ts";
import { ParameterFault } from "../new/query.ts";
import { openWork, readHistory, readStatus, rollBackProject, type Watcher } from "../publish/actions.ts";
import type { Given } from "../publish/allowed.ts";
import { type Application, readApplication } from "../publish/application.ts";
import { createBoundPlans } from "../publish/bound-plan.ts";
import { printPending, printPlan, printStatus } from "../publish/plan.ts";
import { reportEvents } from "../publish/progress.ts";
import { findLive, type Release } from "../publish/release.ts";
import { pruneSecrets, unpublish } from "../publish/rollback.ts";
import type { Published } from "../publish/target.ts";
import type {
  PlanState,
  PublishEvent,
  PublishOptions,
  PublishResult,
  ReleaseRow,
  ReleasesState,
  RollbackOptions,
} from "./api.ts";
import type { Events } from "./events.ts";
import { readSecrets } from "./folder.ts";
import type { Working } from "./jobs.ts";
import { findProgram } from "./program.ts";

interface UnpublishOptions {
  /** The project's name, typed again. */
  name: string;
  "delete-data"?: boolean;
  wait?: boolean;
}

/** What the page may ask of a target, for the project in a folder. Values of secrets stay in memory. */
export class Publishing {
  readonly #events: Events;
  readonly #root: string;
  readonly #plans = createBoundPlans();
  #planned: { folder: string; state: PlanState; given: Given } | null = null;
  #releases: Record<string, ReleasesState> = {};

  /** `root` is the folder that the studio may work in. */
  constructor(events: Events, root: string) {
    this.#events = events;
    this.#root = root;
  }

  get plan(): PlanState | null {
    return this.#planned?.state ?? null;
  }

  get releases(): Record<string, ReleasesState> {
    return this.#releases;
  }

  /** For another project, nothing of this one is true. */
  forget(): void {
    this.#planned = null;
    this.#releases = {};
  }

  async makePlan(
    folder: string,
    target: string,
    options: PublishOptions,
    { typed, allowed }: { typed: Record<string, string>; allowed: string[] },
    working: Working,
  ): Promise<PlanState> {
    this.#planned = null;
    const known = readSecrets(this.#root, folder);
    const given = { files: collectValues(readApplication(folder), known, typed), allowed };
    const request = { ...options, folder, to: target };
    const { id, plan, warnings } = await this.#plans.planPublish(request, given, this.#watch(working));
    const state = { id, target, text: printPlan(plan), plan, warnings };
    this.#planned = { folder, state, given };
    this.#tellState();
    return state;
  }

  /** Carries out the plan; it is void afterwards, whatever comes of it. */
  async publish(id: string, working: Working): Promise<PublishResult> {
    const planned = this.#planned;
    if (planned?.state.id !== id) throw new Fault("plan_unknown", `There is no plan "${id}". Make a new plan.`);
    this.#planned = null;
    const { folder, state, given } = planned;
    return this.#release(folder, state.target, working, () => this.#plans.publish(id, given, this.#watch(working)));
  }

  async rollBack(
    folder: string,
    target: string,
    options: RollbackOptions & { release?: string },
    working: Working,
  ): Promise<PublishResult> {
    const request = { ...options, folder, to: target };
    return this.#release(folder, target, working, () => rollBackProject(request, this.#watch(working)));
  }

  async readReleases(folder: string, target: string, working: Working): Promise<ReleasesState> {
    const work = await openWork({ folder, to: target }, this.#watch(working));
    const { driver, application } = work;
    const releases = await readHistory(driver, application);
    const live = findLive(releases);
    const status = await readStatus(work);
    const lines = [
      ...(status.live ? [printStatus(application.name, status.live)] : []),
      ...(status.pending ? [printPending(status.pending)] : []),
    ];
    const state: ReleasesState = {
      url: live ? await driver.url(live) : null,
      releases: releases.map((release) => toRow(release, live)).reverse(),
      status: lines.length > 0 ? lines.join("\n") : null,
    };
    this.#releases = { ...this.#releases, [target]: state };
    this.#tellState();
    return state;
  }

  /** What the command prints, line by line. */
  async showLogs(
    folder: string,
    target: string,
    { lines, follow }: { lines: string; follow: boolean },
    { signal, say }: Working,
  ): Promise<void> {
    const args = [...findProgram(), "logs", `--to=${target}`, `--lines=${lines}`, ...(follow ? ["--follow"] : [])];
    const how = { cwd: folder, interrupted: signal, onLine: say, isEndless: follow };
    const { code, stderr } = await execute(process.execPath, args, how);
    if (code !== 0) throw new Fault("logs", stderr.trim() || "The logs cannot be read.");
  }

  async unpublish(
    folder: string,
    target: string,
    { name, wait = false, "delete-data": isDataDeleted = false }: UnpublishOptions,
    working: Working,
  ): Promise<void> {
    const { name: own } = readApplication(folder);
    if (name !== own)
      throw new ParameterFault("name", {
        code: "name",
        message: `Type the name of the project, ${own}, to remove it.`,
      });
    const work = await openWork({ folder, to: target, wait }, this.#watch(working));
    await readHistory(work.driver, work.application);
    await unpublish(work, isDataDeleted);
    this.#planned = null;
    this.#forgetReleases(target);
  }

  /** A rollback then keeps the current secrets. */
  async pruneSecrets(
    folder: string,
    target: string,
    { wait = false }: { wait?: boolean },
    working: Working,
  ): Promise<void> {
    await pruneSecrets(await openWork({ folder, to: target, wait }, this.#watch(working)));
  }

  /** Whatever comes of it, the releases are read again: the page shows those before until then. */
  async #release(
    folder: string,
    target: string,
    working: Working,
    work: () => Promise<Published>,
  ): Promise<PublishResult> {
    try {
      const { release, url, isUnchanged = false } = await work();
      return { release: release.id, url, isUnchanged };
    } finally {
      await this.readReleases(folder, target, working).catch(() => this.#forgetReleases(target));
    }
  }

  #forgetReleases(target: string): void {
    const { [target]: _, ...others } = this.#releases;
    this.#releases = others;
    this.#tellState();
  }

  #watch({ id, signal }: Working): Watcher {
    const progress = reportEvents((event) =>
      this.#events.add({ type: "publish", job: id, event: event as PublishEvent }),
    );
    return { progress, signal };
  }

  #tellState(): void {
    this.#events.add({ type: "state" });
  }
}

/** What was typed counts more than what the project has on this machine. */
function collectValues(
  { services }: Application,
  known: NodeJS.ProcessEnv,
  typed: Record<string, string>,
): NodeJS.ProcessEnv {
  const declared = new Set(services.flatMap(({ secrets }) => secrets));
  const entries = [...Object.entries(known), ...Object.entries(typed).filter(([, value]) => value !== "")];
  return Object.fromEntries(entries.filter(([name]) => declared.has(name)));
}

function toRow(release: Release, live: Release | undefined): ReleaseRow {
  const { id, status, at, commit, isDirty, restores = null, reason = null } = release;
  return { id, status, at, commit, isDirty, restores, reason, isLive: id === live?.id };
}
