import { createReader, integer, oneOf, type Read } from "./environment.ts";
import { logLevels } from "./log.ts";
import { StartError } from "./problem.ts";
import { readStoreSettings } from "./store/open.ts";
import { schemaName } from "./store/schema.ts";

/** The settings of the core. Features add theirs. */
export interface Settings extends ReturnType<typeof readOwn> {}

/** The settings of the core and of these features. */
export function coreSettings(read: Read, features: { readSettings?(read: Read): object }[]): Settings {
  return Object.assign(readOwn(read), ...features.map((feature) => feature.readSettings?.(read)));
}

function readOwn(read: Read) {
  return {
    host: read("HOST", "127.0.0.1", String),
    port: read("PORT", "3000", integer(0, 65_535)),
    ...readStoreSettings(read),
    databaseSchema: read("DATABASE_SCHEMA", "public", schemaName),
    migrate: read("MIGRATE", "on", oneOf(["on", "off", "only", "plan"])),
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
}

/** Reads settings from the environment. All faults are reported at once. */
export function readSettings<T extends Settings>(env: NodeJS.ProcessEnv, settings: (read: Read) => T): T {
  const { read, faults } = createReader(env);
  const config = settings(read);
  if (faults.length > 0) throw new StartError(faults.join("\n"));
  return config;
}
