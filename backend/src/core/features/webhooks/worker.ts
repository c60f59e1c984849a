import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { log } from "../../log.ts";
import { Problem } from "../../problem.ts";
import type { WebhookConfig } from "./config.ts";
import type { Claimed, Inbox } from "./inbox/inbox.ts";
import { chooseLookPause } from "./pace.ts";
import type { WebhookEvent } from "./source.ts";
import type { Handlers } from "./sources.ts";

/** How many events one process handles at the same time. */
const maxRunning = 10;
/** Requests have priority: while events keep arriving, waiting ones are claimed no more often than this. */
const arrivalMs = 20;
/** With pauses that double from 5 seconds on, the last attempt is after 23 hours. */
export const maxAttempts = 15;
const pruneMs = 600_000;
const pruneLimit = 1000;
/** Longer errors are cut before they are stored. */
const maxErrorLength = 10_000;

/** The attempt that code belongs to: its handler, and all timers, events and promises that the handler started. */
const attempts = new AsyncLocalStorage<{ event: Claimed; fail(error: unknown): void }>();

/** Lets the attempt fail whose handler caused an uncaught error; false if no handler did. */
export function failAttempt(error: unknown): boolean {
  const attempt = attempts.getStore();
  if (!attempt) return false;
  log("error", "a webhook handler threw where nothing catches it", { ...describeEvent(attempt.event), error });
  attempt.fail(error);
  return true;
}

/** Passes the events of an inbox to their handlers, until each is handled or parked. */
export class Worker {
  readonly #inbox: Inbox;
  readonly #config: WebhookConfig;
  readonly #running = new Set<Promise<void>>();
  #lookTimer: NodeJS.Timeout | undefined;
  #pruneTimer: NodeJS.Timeout | undefined;
  #looks: number | undefined;
  #handlers: Handlers | undefined;
  #claimed: Promise<Claimed[]> = Promise.resolve([]);
  #isTaking = false;
  #isWoken = false;
  #isArriving = false;
  #isStopping = false;

  constructor(inbox: Inbox, config: WebhookConfig) {
    this.#inbox = inbox;
    this.#config = config;
  }

  start(handlers: Handlers): void {
    this.#handlers = handlers;
    this.#pruneTimer = setInterval(() => this.#prune(), pruneMs);
    this.wake();
    void this.#look();
    void this.#prune();
  }

  /** To be called when an event has arrived. */
  expect(): void {
    this.#isArriving = true;
    this.wake();
  }

  /** Looks for due events. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isTaking && this.#running.size < maxRunning) void this.#take();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#lookTimer);
    clearInterval(this.#pruneTimer);
    await this.#claimed;
    await Promise.all(this.#running);
  }

  /** Looks for due events again and again. */
  async #look(): Promise<void> {
    const found = await this.#inbox.look().catch(reportBug);
    if (this.#isStopping) return;
    if (found?.isDue) this.wake();
    const looks = found && this.#looks !== undefined ? found.looks - this.#looks : 1;
    this.#looks = found?.looks;
    this.#lookTimer = setTimeout(() => this.#look(), chooseLookPause(looks));
  }

  /** Claims and runs due events up to the limit. Each attempt that ends wakes the worker. */
  async #take(): Promise<void> {
    this.#isTaking = true;
    while (this.#isWoken && this.#handlers && !this.#isStopping && this.#running.size < maxRunning) {
      this.#isWoken = false;
      if (this.#isArriving) await sleep(arrivalMs);
      this.#isArriving = false;
      if (this.#isStopping) break;
      this.#claimed = this.#claim(maxRunning - this.#running.size);
      for (const event of await this.#claimed) this.#run(event);
    }
    this.#isTaking = false;
  }

  #claim(limit: number): Promise<Claimed[]> {
    // The lease lasts longer than the attempt and storing its result.
    return this.#inbox.claim(limit, 2 * this.#config.handlerTimeoutMs).catch((error) => {
      reportBug(error);
      return [];
    });
  }

  #run(event: Claimed): void {
    const attempt = this.#attempt(event)
      .catch((error) =>
        log("error", "the result of a webhook attempt was not stored", { ...describeEvent(event), error }),
      )
      .finally(() => {
        this.#running.delete(attempt);
        this.wake();
      });
    this.#running.add(attempt);
  }

  async #attempt(event: Claimed): Promise<void> {
    const started = performance.now();
    const failure = await this.#findFailure(event);
    const durationMs = Math.round(performance.now() - started);
    if (failure === undefined) {
      await this.#inbox.finish(event);
      log("info", "webhook handled", { ...describeEvent(event), durationMs });
      return;
    }
    const { error } = failure;
    if (event.attempt >= maxAttempts) {
      await this.#inbox.park(event, toMessage(error));
      log("error", "webhook parked after its last attempt", { ...describeEvent(event), durationMs, error });
      return;
    }
    const pauseMs = choosePause(event.attempt, this.#config.retryMs);
    await this.#inbox.postpone(event, pauseMs, toMessage(error));
    log("warn", "webhook will be retried", { ...describeEvent(event), durationMs, pauseMs, error });
  }

  /** The error of an attempt, if it fails. */
  async #findFailure(event: Claimed): Promise<Failure | undefined> {
    // The last attempt has no result: the process ended during it.
    if (event.attempt > maxAttempts) return { error: new Error("the process ended while this event was handled") };
    const { handlerTimeoutMs } = this.#config;
    const { promise, resolve } = Promise.withResolvers<Failure | undefined>();
    const fail = (error: unknown) => resolve({ error: error ?? new Error("the handler failed without an error") });
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort();
      fail(new Error(`the handler took longer than ${handlerTimeoutMs} ms`));
    }, handlerTimeoutMs);
    const { number, source, ...rest } = event;
    const given: WebhookEvent = { ...rest, payload: JSON.parse(event.body.toString()), signal: late.signal };
    const handle = this.#handlers?.[source] as (event: WebhookEvent) => unknown;
    attempts.run({ event, fail }, () => Promise.try(handle, given)).then(() => resolve(undefined), fail);
    return promise.finally(() => clearTimeout(timer));
  }

  async #prune(): Promise<void> {
    const count = await this.#inbox.prune(this.#config.keepDays, pruneLimit).catch(reportBug);
    if (count === pruneLimit && !this.#isStopping) setImmediate(() => this.#prune());
  }
}

/** The store has logged a `Problem` already: the database cannot be used, and is tried again later. */
function reportBug(error: unknown): void {
  if (!(error instanceof Problem)) log("error", "the inbox of webhooks cannot be used", { error });
}

/** In an object, because a thrown value may be thenable: a promise would follow it. */
interface Failure {
  error: unknown;
}

/** The text of anything that was thrown, as every database can store it. */
function toMessage(error: unknown): string {
  const text = toText(error).slice(0, maxErrorLength);
  return text.toWellFormed().replaceAll("\0", "\u{fffd}");
}

function toText(error: unknown): string {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  } catch {
    return "the handler threw a value that cannot be converted to text";
  }
}

const describeEvent = ({ number, source, id, type, attempt }: Claimed) => ({ number, source, id, type, attempt });

/** Doubles each time, plus up to a tenth, so that events that failed together are not retried together. */
function choosePause(attempt: number, firstMs: number): number {
  return Math.round(firstMs * 2 ** (attempt - 1) * (1 + Math.random() / 10));
}
