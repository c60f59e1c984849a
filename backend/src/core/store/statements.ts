import { createHash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { ClientConfig, Connection, Pool, PoolClient } from "pg";
import type { Page } from "../resource.ts";
import { isBug, isOutdated, isReadOnly, isReusable, isUnprepared } from "./connection.ts";
import type { List } from "./store.ts";

/** Runs one statement and returns its rows. */
export type Run = (text: string, values: unknown[]) => Promise<unknown[][]>;

export interface Statements {
  run: Run;
  /** Takes a connection back; one that cannot be used again after this error is closed. */
  release(client: PoolClient, error?: unknown): void;
  /** Closes open connections once they are not used: they may lead to a server that is read-only now. */
  renew(): void;
}

/**
 * Runs statements on the connections of a pool. They are prepared once for each connection; behind a pooler that does not
 * keep prepared statements they are sent whole, as soon as the first one has failed because of that.
 */
export function createStatements(pool: Pool, driver: Driver): Statements {
  const names = new Map<string, string>();
  let isPreparing = true;
  let current = new WeakSet<PoolClient>();
  pool.on("connect", (client) => {
    current.add(client);
    // The loss of a connection also rejects the query that needs it.
    client.on("error", () => {});
  });

  const renew = () => {
    current = new WeakSet();
  };

  const release = (client: PoolClient, error?: unknown) => {
    if (isReadOnly(error)) renew();
    const isUsable = current.has(client) && (error === undefined || isReusable(error));
    if (!isTimeout(error)) client.release(!isUsable);
    // The server would finish a statement that nobody waits for any more, with its locks.
    else void cancel(driver, client).finally(() => client.release(true));
  };

  const send = async (text: string, values: unknown[], name: string | undefined) => {
    const client = await pool.connect();
    try {
      const { rows } = await client.query({ text, values, rowMode: "array", ...(name && { name }) });
      release(client);
      return rows;
    } catch (error) {
      release(client, error);
      throw error;
    }
  };

  const findName = (text: string) => {
    if (!isPreparing) return undefined;
    return names.size < maxNames ? names.getOrInsertComputed(text, hash) : names.get(text);
  };

  const run: Run = async (text, values) => {
    const name = findName(text);
    try {
      return await send(text, values, name);
    } catch (error) {
      if (name === undefined || !(isUnprepared(error) || isOutdated(error))) throw error;
      isPreparing &&= !isUnprepared(error);
      return send(text, values, undefined);
    }
  };
  return { run, release, renew };
}

/** A server keeps each prepared statement in memory: texts that are always different are sent whole. */
const maxNames = 1000;

/** Connections of a pooler's clients share prepared statements: a name stands for one text everywhere. */
const hash = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 32);

export const isTimeout = (error: unknown) => (error as Error | undefined)?.message === "Query read timeout";

/** What the driver has, but not its types. */
interface Canceller extends Connection {
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}
type Driver = Pick<typeof import("pg"), "Connection">;
type Target = PoolClient & { host: string; port: number; processID: number; secretKey: number; ssl: unknown };

/** Asks the server to cancel what the client runs; resolves when it was asked, or could not be within a second. */
function cancel(driver: Driver, client: PoolClient): Promise<void> {
  const { host, port, processID, secretKey, ssl } = client as Target;
  const connection = new driver.Connection(client as ClientConfig) as Canceller;
  return new Promise((resolve) => {
    const timer = setTimeout(() => connection.stream.destroy(), 1000);
    connection.on("connect", () => (ssl ? connection.requestSsl() : connection.cancel(processID, secretKey)));
    connection.on("sslconnect", () => connection.cancel(processID, secretKey));
    connection.on("error", () => connection.stream.destroy());
    connection.on("end", () => {
      clearTimeout(timer);
      resolve();
    });
    if (host.startsWith("/")) connection.connect(`${host}/.s.PGSQL.${port}`);
    else connection.connect(port, host);
  });
}

interface Waiting<Output> {
  input: string;
  resolve(output: Output): void;
  reject(error: unknown): void;
}

interface Limits {
  /** Inputs of one statement. */
  maxInputs: number;
  /** While these statements run, the next inputs gather. */
  maxUnderWay: number;
}

/** A statement that takes longer, because it waits for a lock or its connection hangs, does not make the next wait. */
const patienceMs = 50;

/** The length of the inputs of one statement, unless it has a single one. */
const maxLength = 2 ** 20;

/**
 * Inputs that wait share a statement: `run` does the same for each. If one of them is refused, each is tried alone, so that
 * only that one fails.
 */
export function group<Output>(
  run: (inputs: string[]) => Promise<Output[]>,
  { maxInputs, maxUnderWay }: Limits,
): (input: string) => Promise<Output> {
  const waiting: Waiting<Output>[] = [];
  let underWay = 0;
  let isScheduled = false;

  const runAlone = ({ input, resolve, reject }: Waiting<Output>) =>
    run([input]).then(([output]) => resolve(output as Output), reject);

  const runGroup = async () => {
    const together = waiting.splice(0, countFitting(waiting, maxInputs));
    underWay++;
    let isCounted = true;
    const discount = () => {
      if (isCounted) underWay--;
      isCounted = false;
      runNext();
    };
    const timer = setTimeout(discount, patienceMs);
    try {
      const outputs = await run(together.map(({ input }) => input));
      for (const [index, { resolve }] of together.entries()) resolve(outputs[index] as Output);
    } catch (error) {
      if (together.length > 1 && isBug(error)) await Promise.all(together.map(runAlone));
      else for (const { reject } of together) reject(error);
    } finally {
      clearTimeout(timer);
      discount();
    }
  };

  const runNext = () => {
    isScheduled = false;
    if (waiting.length > 0 && underWay < maxUnderWay) void runGroup();
  };

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject });
      if (isScheduled || underWay >= maxUnderWay) return;
      isScheduled = true;
      setImmediate(runNext);
    });
}

/** How many of the inputs go together: at least one. */
function countFitting(waiting: { input: string }[], maxInputs: number): number {
  let length = 0;
  const end = waiting.findIndex(({ input }, index) => {
    length += input.length;
    return index === maxInputs || (index > 0 && length > maxLength);
  });
  return end === -1 ? waiting.length : end;
}

/**
 * Requests for the same page share a query, which is sent after the last of them has come, so that it is as current as
 * one for each would be. While it is under way, the next requests gather.
 */
export function sharePages(list: List): (page?: Partial<Page>) => Promise<string> {
  const gathering = new Map<string, Promise<string>>();
  const underWay = new Map<string, Promise<unknown>>();

  const answer = async (page: Page, key: string) => {
    await nextTurn();
    const before = underWay.get(key);
    if (before) await waitFor(before);
    gathering.delete(key);
    const answered = list(page);
    underWay.set(key, answered);
    try {
      return await answered;
    } finally {
      if (underWay.get(key) === answered) underWay.delete(key);
    }
  };
  return ({ limit = 20, cursor } = {}) =>
    gathering.getOrInsertComputed(`${limit} ${cursor}`, (key) => answer({ limit, cursor }, key));
}

function waitFor(answered: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    answered.then(end, end);
  });
}
