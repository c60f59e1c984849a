import { readFileSync } from "node:fs";
import { token } from "./features/auth/auth.ts";
import { origin } from "./features/cors/cors.ts";
import { frameworks } from "./frameworks/names.ts";
import { logLevels } from "./log.ts";
import { StartError } from "./start-error.ts";
import { defaultUrl, protocols } from "./store/open.ts";

export type Config = ReturnType<typeof readConfig>;

/** Reads the environment. All faults are told at once, by the variable's name and never with its value. */
export function readConfig(env: NodeJS.ProcessEnv) {
  const faults: string[] = [];
  /** Takes the variable, or the content of the file that `NAME_FILE` names: container engines hand over secrets so. */
  const read = <T>(name: string, fallback: string | undefined, parse: (value: string) => T): T => {
    try {
      const { [name]: set, [`${name}_FILE`]: file } = env;
      if (set !== undefined && file !== undefined) refuse(`and ${name}_FILE are both set; set one of them`);
      const value = file === undefined ? (set ?? fallback) : readFileSync(file, "utf8").replace(/\r?\n$/, "");
      if (value?.trim() === "") refuse("is set but blank");
      return parse(value ?? refuse("is required"));
    } catch (error) {
      // A system's message would tell the file's name, and by mistake that may be the secret itself.
      const { code, message } = error as NodeJS.ErrnoException;
      faults.push(`${name} ${code ? `cannot be read from the file that its _FILE names (${code})` : message}`);
      return undefined as T;
    }
  };
  const config = {
    host: read("HOST", "127.0.0.1", String),
    port: read("PORT", "3000", integer(0, 65_535)),
    databaseUrl: read("DATABASE_URL", defaultUrl, url(protocols)),
    framework: read("FRAMEWORK", "hono", oneOf(frameworks)),
    apiTokens: read("API_TOKENS", undefined, listOf(token)),
    corsOrigins: read("CORS_ORIGINS", undefined, listOf(origin)),
    logLevel: read("LOG_LEVEL", "info", oneOf(logLevels)),
    bodyLimitBytes: read("BODY_LIMIT_BYTES", "102400", integer(1)),
    headersTimeoutMs: read("HEADERS_TIMEOUT_MS", "10000", integer(1)),
    requestTimeoutMs: read("REQUEST_TIMEOUT_MS", "20000", integer(1)),
    handlerTimeoutMs: read("HANDLER_TIMEOUT_MS", "10000", integer(1)),
    maxConnections: read("MAX_CONNECTIONS", "10000", integer(1)),
    keepAliveMs: read("KEEP_ALIVE_MS", "75000", integer(1)),
    drainDelayMs: read("DRAIN_DELAY_MS", "0", integer(0)),
    shutdownTimeoutMs: read("SHUTDOWN_TIMEOUT_MS", "10000", integer(1)),
  };
  if (faults.length > 0) throw new StartError(faults.join("\n"));
  return config;
}

function integer(min: number, max = 2 ** 31 - 1) {
  const isInRange = (value: string) => /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max;
  return (value: string) => (isInRange(value) ? Number(value) : refuse(`must be a whole number from ${min} to ${max}`));
}

function oneOf<T extends string>(choices: readonly T[]) {
  return (value: string): T => choices.find((one) => one === value) ?? refuse(`must be one of ${choices.join(", ")}`);
}

function url(protocols: string[]) {
  const isOne = (value: string) => protocols.some((protocol) => value.startsWith(protocol));
  return (value: string) => (isOne(value) ? value : refuse(`must be a URL that starts with ${protocols.join(" or ")}`));
}

/** Of a list, the place of what is wrong is told: its value may be a secret. */
function listOf<T>({ what, read }: { what: string; read(one: string): T | undefined }) {
  const refused = (index: number) => refuse(`must list ${what}, separated by commas; number ${index + 1} is not one`);
  return (value: string) => value.split(",").map((one, index) => read(one) ?? refused(index));
}

function refuse(fault: string): never {
  throw new Error(fault);
}
