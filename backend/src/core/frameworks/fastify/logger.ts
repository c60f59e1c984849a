import { format, inspect } from "node:util";
import type { FastifyBaseLogger } from "fastify";
import { type LogLevel, log, logging } from "../../log.ts";

type Bindings = Record<string, unknown>;

/** Writes to the log what pino's methods are called with. */
class Logger implements FastifyBaseLogger {
  readonly #bindings: Bindings;
  level = logging.level;

  constructor(bindings: Bindings = {}) {
    this.#bindings = bindings;
  }

  child(bindings: Bindings): Logger {
    return new Logger({ ...this.#bindings, ...bindings });
  }

  trace = (...args: unknown[]) => this.#write("debug", args);
  debug = (...args: unknown[]) => this.#write("debug", args);
  info = (...args: unknown[]) => this.#write("info", args);
  warn = (...args: unknown[]) => this.#write("warn", args);
  error = (...args: unknown[]) => this.#write("error", args);
  fatal = (...args: unknown[]) => this.#write("error", args);
  silent = () => {};

  #write(level: LogLevel, [first, ...rest]: unknown[]): void {
    if (typeof first !== "object" || first === null) log(level, format(first, ...rest), this.#bindings);
    else if (first instanceof Error) this.#write(level, [{ err: first }, ...rest]);
    else {
      // A request and a response have headers, which are never logged.
      const { err, req: _req, res: _res, ...details } = first as Record<string, unknown>;
      const { message = "" } = (err ?? {}) as { message?: string };
      log(level, rest.length > 0 ? format(...rest) : message, { ...this.#bindings, ...plain(details), error: err });
    }
  }
}

/** What JSON cannot hold, like a circle, is logged as text. */
function plain(details: object): object {
  try {
    JSON.stringify(details);
    return details;
  } catch {
    return { details: inspect(details, { depth: 3 }) };
  }
}

/** Behind `app.log` and `request.log`: `request.log.info({ userId }, "sent")`. */
export const logger: FastifyBaseLogger = new Logger();
