import { randomBytes } from "node:crypto";
import { Fault } from "../fault.ts";
import { ParameterFault } from "../new/query.ts";
import { printError } from "../output.ts";
import type { Job, JobKind } from "./api.ts";
import type { Events } from "./events.ts";
import { HttpFault } from "./http.ts";

/** What a job works with. */
export interface Working {
  id: string;
  /** Aborted when it is cancelled, or when the studio ends. */
  signal: AbortSignal;
  say(line: string): void;
}

export interface NewJob {
  kind: JobKind;
  /** The backend or target that it is about. */
  about: string | null;
  /** Only one job at a time has the same: two would disturb each other. */
  lock: string | null;
  work(working: Working): Promise<unknown>;
}

interface Running {
  job: Job;
  lock: string | null;
  controller: AbortController;
  ended: Promise<void>;
}

const mostRunning = 8;
const mostKept = 100;

/** Work that goes on when the page is closed. */
export class Jobs {
  readonly #running = new Map<string, Running>();
  readonly #kept = new Map<string, Job>();
  readonly #events: Events;

  constructor(events: Events) {
    this.#events = events;
  }

  /** The latest, oldest first. */
  list(): Job[] {
    return [...this.#kept.values()];
  }

  start({ kind, about, lock, work }: NewJob): Job {
    const other = [...this.#running.values()].find((one) => lock !== null && one.lock === lock);
    if (other || this.#running.size >= mostRunning) {
      const what = other ? `A job "${other.job.kind}" is running` : `${mostRunning} jobs are running`;
      throw new HttpFault({ status: 409, code: "busy", detail: `${what}. Wait until it has ended, or cancel it.` });
    }
    const id = randomBytes(6).toString("hex");
    const job: Job = { id, kind, about, state: "running", startedAt: now(), endedAt: null, result: null, fault: null };
    const controller = new AbortController();
    this.#keep(job);
    const ended = this.#run(job, controller.signal, work);
    this.#running.set(id, { job, lock, controller, ended });
    void ended.then(() => this.#running.delete(id));
    return job;
  }

  cancel(id: string): void {
    const found = this.#running.get(id);
    found?.controller.abort();
    if (found || this.#kept.has(id)) return;
    throw new HttpFault({ status: 404, code: "not_found", detail: `There is no job ${id}.` });
  }

  /** Cancels all, and waits until they have ended. */
  async close(): Promise<void> {
    const all = [...this.#running.values()];
    for (const { controller } of all) controller.abort();
    await Promise.all(all.map(({ ended }) => ended));
  }

  async #run(job: Job, signal: AbortSignal, work: NewJob["work"]): Promise<void> {
    const say = (text: string) => this.#events.add({ type: "line", job: job.id, backend: null, text });
    // What called this sees the job before its first event.
    await Promise.resolve();
    try {
      const result = (await work({ id: job.id, signal, say })) ?? null;
      this.#keep({ ...job, state: "done", endedAt: now(), result });
    } catch (error) {
      const state = signal.aborted ? "cancelled" : "failed";
      this.#keep({ ...job, state, endedAt: now(), fault: toFault(error) });
    }
  }

  #keep(job: Job): void {
    this.#kept.set(job.id, job);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > mostKept && oldest !== undefined) this.#kept.delete(oldest);
    this.#events.add({ type: "job", job });
  }
}

const now = () => new Date().toISOString();

function toFault(error: unknown): NonNullable<Job["fault"]> {
  if (error instanceof ParameterFault) return { code: error.code, message: error.message, parameter: error.parameter };
  if (error instanceof Fault) return { code: error.code, message: error.message };
  if (error instanceof HttpFault) {
    const { code, detail, parameter } = JSON.parse(String(error.answer.body));
    return { code, message: detail, ...(parameter === undefined ? {} : { parameter }) };
  }
  printError(`The studio failed: ${(error as Error).stack}`);
  return { code: "internal_error", message: "The studio failed. What happened is printed where it was started." };
}
