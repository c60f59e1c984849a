import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import type { ClientConfig } from "pg";
import { integer, type Read, refuse } from "../environment.ts";

/** How the database is reached. */
export interface ConnectionSettings {
  databaseUrl: string;
  /** Certificates of authorities, in PEM; the system's if there are none. */
  databaseCa?: string | undefined;
  databasePoolSize?: number;
}

/** Reads the settings of connections. `parse` checks the URL, as far as it is not about TLS. */
export function readConnectionSettings(read: Read, fallback: string | undefined, parse: (value: string) => string) {
  const databaseCa = read("DATABASE_CA", "system", readCertificates);
  return {
    databaseUrl: read("DATABASE_URL", fallback, (value) => {
      if (value.startsWith("postgres")) connectTo({ databaseUrl: value, databaseCa });
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
  const ssl = readTls(parameters, databaseCa);
  if (ssl === undefined) return { connectionString: databaseUrl };
  const isDirect = parameters.get("sslnegotiation") === "direct";
  // The driver would use these instead of `ssl`.
  for (const name of tlsParameters) parameters.delete(name);
  const connectionString = parameters.size > 0 ? `${base}?${parameters}` : base;
  return isDirect ? { connectionString, ssl, sslnegotiation: "direct" } : { connectionString, ssl };
}

/** With `sslmode=prefer`, a server without TLS is used without it. Returns whether the options were changed. */
export function allowPlain(options: ClientConfig, error: Error): boolean {
  if (!isOptional(options.ssl) || !/does not support SSL/.test(error.message)) return false;
  options.ssl = false;
  return true;
}

const tlsParameters = ["sslmode", "ssl", "sslrootcert", "sslcert", "sslkey", "sslnegotiation", "uselibpqcompat"];
const modes = ["disable", "allow", "prefer", "require", "no-verify", "verify-ca", "verify-full"];

type Tls = ConnectionOptions & { isOptional?: boolean };

const isOptional = (ssl: ClientConfig["ssl"]) => typeof ssl === "object" && (ssl as Tls).isOptional === true;

/** https://www.postgresql.org/docs/current/libpq-ssl.html; undefined if the URL says nothing. */
function readTls(parameters: URLSearchParams, given: string | undefined): Tls | false | undefined {
  const root = parameters.get("sslrootcert");
  const ca = root && root !== "system" ? readFile("sslrootcert", root) : given;
  const files = { ca, cert: readOwn("sslcert", parameters), key: readOwn("sslkey", parameters) };
  const mode = parameters.get("sslmode") ?? impliedMode(parameters, files);
  if (mode === undefined) return undefined;
  if (!modes.includes(mode)) refuse(`has an unknown sslmode; use one of ${modes.join(", ")}`);
  if (mode === "disable") return false;
  const tls = Object.fromEntries(Object.entries(files).filter(([, file]) => file !== undefined));
  if (mode === "verify-full") return tls;
  if (mode === "verify-ca" || (mode === "require" && ca)) {
    if (!ca) refuse("has sslmode=verify-ca, which needs DATABASE_CA; verify-full needs none");
    return { ...tls, checkServerIdentity: () => undefined };
  }
  return { ...tls, rejectUnauthorized: false, isOptional: mode === "allow" || mode === "prefer" };
}

function impliedMode(parameters: URLSearchParams, files: object): string | undefined {
  const ssl = parameters.get("ssl");
  if (ssl === "0" || ssl === "false") return "disable";
  if (ssl === "no-verify") return ssl;
  const isAsked = ssl !== null || parameters.get("sslnegotiation") === "direct";
  return isAsked || Object.values(files).some((file) => file !== undefined) ? "verify-full" : undefined;
}

function readOwn(name: string, parameters: URLSearchParams): string | undefined {
  const path = parameters.get(name);
  return path === null ? undefined : readFile(name, path);
}

function readFile(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    return refuse(`names a file in ${name} that cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** Line breaks may be written as `\n`, because many platforms take a variable only in one line. */
function readCertificates(value: string): string | undefined {
  if (value === "system") return undefined;
  const text = value.replaceAll("\\n", "\n");
  const all = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (all.length === 0 || !all.every(isCertificate)) refuse("must be certificates in PEM, or the word system");
  return text;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
