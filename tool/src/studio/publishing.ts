import { execute } from "../execute.ts";
import { Fault } from "../fault.ts";
import { ParameterFault } from "../new/query.ts";
import { openWork, readHistory, readStatus, rollBackProject, type Watcher } from "../publish/actions.ts";
import { type Application, readApplication } from "../publish/application.ts";
import { createBoundPlans } from "../publish/bound-plan.ts";
import { printPending, printPlan, printStatus } from "../publish/plan.ts";
import { reportEvents } from "../publish/progress.ts";
import { findLive, type Release } from "../publish/release.ts";
import { unpublish } from "../publish/rollback.ts";
import type { Published } from "../publish/target.ts";
import type { PlanState, PublishEvent, PublishOptions, PublishResult, ReleaseRow, ReleasesState } from "./api.ts";
import type { Events } from "./events.ts";
import { readEnv } from "./folder.ts";
import type { Working } from "./jobs.ts";
import { findProgram } from "./program.ts";

/** What the page may ask of a target, for the project in a folder. Values of secrets stay in memory. */
export class Publishing {
  readonly #events: Events;
  readonly #plans = createBoundPlans();
  #planned: { state: PlanState; values: NodeJS.ProcessEnv } | null = null;
  #releases: Record<string, ReleasesState> = {};

  constructor(events: Events) {
    this.#events = events;
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
    typed: Record<string, string>,
    working: Working,
  ): Promise<PlanState> {
    this.#planned = null;
    const values = collectValues(readApplication(folder), folder, typed);
    const { smoke, force, ...rest } = options;
    const request = { ...rest, smoke: smoke !== "no", force: force === "yes", folder, to: target };
    const { id, plan, warnings } = await this.#plans.planPublish(request, toGiven(values), this.#watch(working));
    const state = { id, target, text: printPlan(plan), plan, warnings };
    this.#planned = { state, values };
    this.#tellState();
    return state;
  }

  /** Carries out the plan; it is void afterwards, whatever comes of it. */
  async publish(id: string, working: Working): Promise<PublishResult> {
    const planned = this.#planned;
    if (planned?.state.id !== id) throw new Fault("plan_unknown", `There is no plan "${id}". Make a new plan.`);
    this.#planned = null;
    return this.#release(planned.state.target, () =>
      this.#plans.publish(id, toGiven(planned.values), this.#watch(working)),
    );
  }

  async rollBack(
    folder: string,
    target: string,
    { release, isKeepingSecrets = false }: { release?: string; isKeepingSecrets?: boolean },
    working: Working,
  ): Promise<PublishResult> {
    const named = release === undefined ? {} : { release };
    const request = { folder, to: target, ...named, "keep-secrets": isKeepingSecrets };
    return this.#release(target, () => rollBackProject(request, this.#watch(working)));
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
  async showLogs(folder: string, target: string, lines: number, { signal, say }: Working): Promise<void> {
    const args = [...findProgram(), "logs", "--to", target, "--lines", String(lines)];
    const how = { cwd: folder, interrupted: signal, onLine: say };
    const { code, stderr } = await execute(process.execPath, args, how);
    if (code !== 0) throw new Fault("logs", stderr.trim() || "The logs cannot be read.");
  }

  async unpublish(
    folder: string,
    target: string,
    { name, isDataDeleted = false }: { name: string; isDataDeleted?: boolean },
    working: Working,
  ): Promise<void> {
    const { name: own } = readApplication(folder);
    if (name !== own)
      throw new ParameterFault("name", {
        code: "name",
        message: `Type the name of the project, ${own}, to remove it.`,
      });
    const work = await openWork({ folder, to: target }, this.#watch(working));
    await readHistory(work.driver, work.application);
    await unpublish(work, isDataDeleted);
    const { [target]: _, ...others } = this.#releases;
    this.#releases = others;
    this.#planned = null;
    this.#tellState();
  }

  async #release(target: string, work: () => Promise<Published>): Promise<PublishResult> {
    try {
      const { release, url, isUnchanged = false } = await work();
      return { release: release.id, url, isUnchanged };
    } finally {
      const { [target]: _, ...others } = this.#releases;
      this.#releases = others;
      this.#tellState();
    }
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
function collectValues({ services }: Application, folder: string, typed: Record<string, string>): NodeJS.ProcessEnv {
  const declared = new Set(services.flatMap(({ secrets }) => secrets));
  const entries = [...Object.entries(readEnv(folder)), ...Object.entries(typed).filter(([, value]) => value !== "")];
  return Object.fromEntries(entries.filter(([name]) => declared.has(name)));
}

const toGiven = (values: NodeJS.ProcessEnv) => ({ files: values, allowed: [] });

function toRow(release: Release, live: Release | undefined): ReleaseRow {
  const { id, status, at, commit, isDirty, restores = null, reason = null } = release;
  return { id, status, at, commit, isDirty, restores, reason, isLive: id === live?.id };
}
