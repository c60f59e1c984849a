import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import type { Client, ClientConfig } from "pg";
import { integer, type Read, refuse } from "../environment.ts";
import { type LogLevel, log } from "../log.ts";
import { StartError } from "../problem.ts";

/** How the database is reached. */
export interface ConnectionSettings {
  databaseUrl: string;
  /** Certificates of authorities, in PEM, or the word `system` for the system's. */
  databaseCa?: string | undefined;
  databasePoolSize?: number;
}

/** Reads the settings of connections. `parse` checks the URL, as far as it is not about TLS. */
export function readConnectionSettings(read: Read, fallback: string | undefined, parse: (value: string) => string) {
  const databaseCa = read("DATABASE_CA", asInUrl, readAuthorities);
  return {
    databaseUrl: read("DATABASE_URL", fallback, (value) => {
      // A fault of DATABASE_CA is reported already.
      if (value.startsWith("postgres") && databaseCa !== undefined) connectTo({ databaseUrl: value, databaseCa });
      return parse(value);
    }),
    databaseCa,
    databasePoolSize: read("DATABASE_POOL_SIZE", "10", integer(1)),
  };
}

/** The options of connections. TLS is as libpq reads it from a URL: the driver gives the same words other meanings. */
export function connectTo({ databaseUrl, databaseCa }: ConnectionSettings): ClientConfig {
  const [base = "", ...rest] = databaseUrl.split("?");
  const parameters = new URLSearchParams(rest.join("?"));
  refuseMisread(databaseUrl, parameters);
  const negotiation = parameters.get("sslnegotiation") ?? "postgres";
  if (!["postgres", "direct"].includes(negotiation)) refuse("has an unknown sslnegotiation; use postgres or direct");
  const ssl = readTls(parameters, databaseCa);
  if (ssl === undefined) return { connectionString: databaseUrl };
  const isDirect = negotiation === "direct";
  // The driver would use these instead of `ssl`.
  for (const name of tlsParameters) parameters.delete(name);
  const connectionString = parameters.size > 0 ? `${base}?${parameters}` : base;
  return isDirect ? { connectionString, ssl, sslnegotiation: "direct" } : { connectionString, ssl };
}

/** Refuses what would be read as something else: the connection would not be encrypted, or a part of a password be a name. */
function refuseMisread(databaseUrl: string, parameters: URLSearchParams): void {
  // Not the name: it could be a part of a password.
  const isUnknown = (name: string) => /^ssl|^channel_?binding$/i.test(name) && !knownParameters.includes(name);
  if (parameters.keys().some(isUnknown))
    refuse(`has an unknown parameter for TLS; these are known: ${tlsParameters.join(", ")}`);
  const [, authority = "", rest = ""] = /^\w+:\/\/([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  const [path = ""] = rest.split("?", 1);
  if (path.includes("@") || /@[^@/?#]+\//.test(rest)) refuse("has a / or @ in its password; write them as %2F and %40");
  if (authority.slice(authority.lastIndexOf("@") + 1).includes(",")) refuse("has several hosts; name one of them");
  if (!isReadable(() => decodeURIComponent(path)))
    refuse("has a malformed % in the name of its database; write it as %25");
}

/** With `sslmode=prefer`, a server without TLS is used without it. Returns whether the options were changed. */
export function allowPlain(options: ClientConfig, error: Error): boolean {
  if (!isOptional(options.ssl) || !/does not support SSL/.test(error.message)) return false;
  options.ssl = false;
  return true;
}

const tlsParameters = ["sslmode", "ssl", "sslrootcert", "sslcert", "sslkey", "sslnegotiation", "uselibpqcompat"];
const knownParameters = [...tlsParameters, "channel_binding", "sslpassword", "sslcompression", "sslsni", "sslcrl"];
const modes = ["disable", "allow", "prefer", "require", "no-verify", "verify-ca", "verify-full"];

type Tls = ConnectionOptions & { isOptional?: boolean };

const isOptional = (ssl: ClientConfig["ssl"]) => typeof ssl === "object" && (ssl as Tls).isOptional === true;

/** https://www.postgresql.org/docs/current/libpq-ssl.html; undefined if neither the URL nor DATABASE_CA says something. */
function readTls(parameters: URLSearchParams, given = asInUrl): Tls | false | undefined {
  const root = parameters.get("sslrootcert") ?? undefined;
  const trusted = root && root !== system ? readFile("sslrootcert", root, isPem) : (root ?? given);
  const ca = [system, asInUrl].includes(trusted) ? undefined : trusted;
  const cert = readOwn("sslcert", parameters, isPem);
  const files = { ca, cert, key: readOwn("sslkey", parameters, isKey) };
  const isAsked = trusted === system || Object.values(files).some((file) => file !== undefined);
  const mode = parameters.get("sslmode") ?? impliedMode(parameters, isAsked);
  if (mode === undefined) return undefined;
  if (!modes.includes(mode)) refuse(`has an unknown sslmode; use one of ${modes.join(", ")}`);
  if (root === system && mode !== "verify-full") refuse("has sslrootcert=system, which needs sslmode=verify-full");
  if (mode === "disable") return false;
  const tls = Object.fromEntries(Object.entries(files).filter(([, file]) => file !== undefined));
  if (mode === "verify-full") return tls;
  if (mode === "verify-ca" || (mode === "require" && ca)) {
    if (!ca) refuse("has sslmode=verify-ca, which needs DATABASE_CA; verify-full needs none");
    return { ...tls, checkServerIdentity: () => undefined };
  }
  return { ...tls, rejectUnauthorized: false, isOptional: mode === "allow" || mode === "prefer" };
}

function impliedMode(parameters: URLSearchParams, isAsked: boolean): string | undefined {
  const ssl = parameters.get("ssl");
  if (ssl === "0" || ssl === "false") return "disable";
  if (ssl === "no-verify") return ssl;
  const isNamed = ssl !== null || parameters.get("sslnegotiation") === "direct";
  return isAsked || isNamed ? "verify-full" : undefined;
}

function readOwn(name: string, parameters: URLSearchParams, isRight: (text: string) => boolean): string | undefined {
  const path = parameters.get(name);
  return path === null ? undefined : readFile(name, path, isRight);
}

function readFile(name: string, path: string, isRight: (text: string) => boolean): string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    return refuse(`names a file in ${name} that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
  const what = name === "sslkey" ? "a private key without a passphrase" : "certificates";
  return isRight(text) ? text : refuse(`names a file in ${name} that is not ${what} in PEM`);
}

/** The authorities of the system, for a server whose name is verified. */
const system = "system";

/** If nothing is set, the URL decides. */
const asInUrl = "sslmode";

/** Line breaks may be written as `\n`, because many platforms take a variable only in one line. */
function readAuthorities(value: string): string {
  const text = value.replaceAll("\\n", "\n");
  return value === system || value === asInUrl || isPem(text)
    ? text
    : refuse("must be certificates in PEM, or the word system");
}

/** Whether a text has certificates, and none of them is damaged. */
function isPem(text: string): boolean {
  const all = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  const isWhole = all.length === text.split("-----BEGIN CERTIFICATE-----").length - 1;
  return all.length > 0 && isWhole && all.every((pem) => isReadable(() => new X509Certificate(pem)));
}

const isKey = (text: string) => isReadable(() => createPrivateKey(text));

function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}

/** Errors are recognised by the class of their code: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const readCode = (error: unknown) => String((error as { code?: unknown } | undefined)?.code ?? "");

/** A statement that the database refuses whenever it is sent, also because a value is too long for an index. */
export const isBug = (error: unknown) => /^(22|23|42|54|P0)/.test(readCode(error));

/** The connection can be used for another statement. */
export const isReusable = (error: unknown) => isBug(error) || /^(26|40)/.test(readCode(error));

/** disk_full, io_error and read_only_sql_transaction. */
export const isWriteFailure = (error: unknown) => ["53100", "58030", readOnly].includes(readCode(error));

/** After a failover, an open connection may lead to the server that is now a replica. */
export const isReadOnly = (error: unknown) => readCode(error) === readOnly;
const readOnly = "25006";

/** A pooler sent a prepared statement to another server connection. Nothing was executed. */
export const isUnprepared = (error: unknown) => ["26000", "42P05"].includes(readCode(error));

/**
 * The table was changed after the statement was prepared, on this connection or by another client of its pooler: its result
 * or its values may have had other types. Nothing was executed.
 */
export const isOutdated = (error: unknown) =>
  /^(22|42)/.test(readCode(error)) || (readCode(error) === "0A000" && /cached plan/.test((error as Error).message));

/** A failure at startup that needs a person. */
export const isRefusal = (error: Error & { syscall?: string }) =>
  error instanceof StartError ||
  /^(23|28|3D|3F|42|ERR_)/.test(readCode(error)) ||
  isUntrusted(error) ||
  isInvalid(error) ||
  isUnsupported(error) ||
  isForTls(error) ||
  isStatementMode(error) ||
  isUnknownToPooler(error) ||
  error.syscall === "open" ||
  /^(SASL|column )|does not support SSL/.test(error.message);

/** https://nodejs.org/api/tls.html#x509-certificate-error-codes */
const isInvalid = (error: unknown) => /^CERT_(HAS_EXPIRED|NOT_YET_VALID|REVOKED)$/.test(readCode(error));
const isUntrusted = (error: unknown) => /CERT|^UNABLE_TO_|SIGNATURE_FAILURE/.test(readCode(error)) && !isInvalid(error);

/** Poolers have one code for what they refuse, and for a server that does not answer yet. */
const isOfPooler = (error: unknown, pattern: RegExp) =>
  readCode(error) === "08P01" && pattern.test((error as Error).message);
const isUnsupported = (error: unknown) => isOfPooler(error, /unsupported startup parameter/);
const isForTls = (error: unknown) => isOfPooler(error, /SSL required/);
const isStatementMode = (error: unknown) => isOfPooler(error, /transaction blocks not allowed/);
const isUnknownToPooler = (error: unknown) =>
  isOfPooler(error, /no such (database|user)|database .* does not exist|password authentication failed/);

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
  // The option is for people who start Node.js.
  const message = (first as Error).message.replace(/; if the root CA.*--use-system-ca$/, "");
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
  [isInvalid, "give the server a certificate that is valid now"],
  [isUnsupported, "a pooler does not accept it; leave it out of the URL, and set it for the role or the database"],
  [(error) => isForTls(error) || says(/no encryption/)(error), "add sslmode=require to the URL"],
  [isStatementMode, "set the pooler to transaction mode"],
  [says(/client password must be a string/), "add the password of the role to the URL"],
  [says(/encoding ".*" has no equivalent in encoding/), "use a database whose encoding is UTF8"],
  [
    says(/^no schema has been selected/),
    "let the search_path of the URL, the role or the database name one that exists",
  ],
  [isUntrusted, "set DATABASE_CA to the certificate of the authority that signed the server's"],
  [says(/does not support SSL/), "sslmode=disable in the URL connects without encryption"],
];

/** How many connections the server allows; nothing if it does not say. Publishing reads the sentence, too. */
export async function describeLimit(newClient: () => Client): Promise<string[]> {
  const db = newClient() as Client & { processID: number };
  // A lost connection also rejects the query that needs it.
  db.on("error", () => {});
  try {
    await db.connect();
    const { rows } = await db.query<[number, number, number, number]>({ text: limits, rowMode: "array" });
    const [[server, role, database, process] = []] = rows;
    const allowed = [server, role, database].filter((one) => one !== undefined && one >= 0) as number[];
    // A pooler has processes of its own.
    const rest = process === db.processID ? "" : "; a pooler is in front of it";
    return [`The server allows ${Math.min(...allowed)} connections${rest}.`];
  } catch {
    return [];
  } finally {
    await db.end().catch(() => {});
  }
}

/** A limit of -1 is none. */
const limits = `
  SELECT
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
      - coalesce(current_setting('reserved_connections', true), '0')::int,
    (SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user),
    (SELECT datconnlimit FROM pg_database WHERE datname = current_database()),
    pg_backend_pid()`;
