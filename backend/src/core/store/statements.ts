import { createHash } from "node:crypto";
import type { ClientConfig, Connection, Pool, PoolClient } from "pg";
import { isOutdated, isReadOnly, isReusable, isUnprepared } from "./postgres-errors.ts";

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
