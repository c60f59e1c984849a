import { type LogLevel, log } from "../log.ts";
import { StartError } from "../problem.ts";

/** Errors are recognised by the class of their code: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const readCode = (error: unknown) => String((error as { code?: unknown } | undefined)?.code ?? "");

/** A statement that the database refuses whenever it is sent. */
export const isBug = (error: unknown) => /^(22|23|42|P0)/.test(readCode(error));

/** The connection can be used for another statement. */
export const isReusable = (error: unknown) => isBug(error) || /^(26|40)/.test(readCode(error));

/** disk_full, io_error and read_only_sql_transaction. */
export const isWriteFailure = (error: unknown) => ["53100", "58030", readOnly].includes(readCode(error));

/** After a failover, an open connection may lead to the server that is now a replica. */
export const isReadOnly = (error: unknown) => readCode(error) === readOnly;
const readOnly = "25006";

/** A pooler sent a prepared statement to another server connection. Nothing was executed. */
export const isUnprepared = (error: unknown) => ["26000", "42P05"].includes(readCode(error));

/** The table was changed after the statement was prepared on this connection. Nothing was executed. */
export const isOutdated = (error: unknown) =>
  readCode(error) === "0A000" && /cached plan/.test((error as Error).message);

/** A failure at startup that needs a person. */
export const isRefusal = (error: Error & { syscall?: string }) =>
  error instanceof StartError ||
  /^(23|28|3D|42|ERR_)/.test(readCode(error)) ||
  isUntrusted(error) ||
  error.syscall === "open" ||
  /^(SASL|column )|does not support SSL/.test(error.message);

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const isUntrusted = (error: unknown) => /CERT|^UNABLE_TO_|SIGNATURE_FAILURE/.test(readCode(error));

let [last, lastAt] = ["", Number.NEGATIVE_INFINITY];

/** Logs a failure of the database, without a stack; the same one once a second, because every request may meet it. */
export function report(level: LogLevel, message: string, error: unknown): void {
  const line = { reason: explain(error), code: readCode(error) || undefined };
  const isRepeated = last === `${message} ${line.reason}` && performance.now() - lastAt < 1000;
  if (isRepeated) return;
  [last, lastAt] = [`${message} ${line.reason}`, performance.now()];
  log(level, message, line);
}

/** What failed, and what can be done about it, in one line. */
export function explain(error: unknown): string {
  const [first = error] = (error as { errors?: unknown[] }).errors ?? [];
  const message = (first as Error).message;
  const [, hint] = hints.find(([matches]) => matches(first)) ?? [];
  return hint ? `${message}: ${hint}` : message;
}

const says = (pattern: RegExp) => (error: unknown) => pattern.test((error as Error).message);

const hints: [matches: (error: unknown) => boolean, hint: string][] = [
  [
    (error) => readCode(error) === "53300" || says(/no more connections allowed|max_client_conn/)(error),
    "set DATABASE_POOL_SIZE to less, run fewer replicas, or raise the limit of the server or its pooler",
  ],
  [
    says(/timeout exceeded when trying to connect/),
    "all connections were busy; DATABASE_POOL_SIZE says how many there are",
  ],
  [says(/does not match certificate/), "use a host that the certificate has, or sslmode=verify-ca"],
  [isUntrusted, "set DATABASE_CA to the certificate of the authority that signed the server's"],
  [says(/does not support SSL/), "sslmode=disable in the URL connects without encryption"],
];
