import type { RequestListener, Server } from "node:http";
import { inspect } from "node:util";
import { ConsoleLogger, type LogLevel } from "@nestjs/common";
import { ExpressAdapter } from "@nestjs/platform-express";
import { flushLog, log } from "../../log.ts";

/** Express as Nest's platform, on a server that exists already: the one that a backend gives its app. */
export class ServerAdapter extends ExpressAdapter {
  constructor(
    express: RequestListener,
    private readonly server: Server,
  ) {
    super(express);
  }

  override initHttpServer(): void {
    this.setHttpServer(this.server.on("request", this.getInstance()));
  }
}

const levels = { verbose: "debug", debug: "debug", log: "info", warn: "warn", error: "error", fatal: "error" } as const;

/** The contexts of Nest's own startup messages. */
const starters = ["NestFactory", "InstanceLoader", "RoutesResolver", "RouterExplorer", "NestApplication"];

interface Line {
  context: string;
  logLevel: LogLevel;
  errorStack?: unknown;
  params?: Record<string, unknown>;
  error?: Error;
}

/** Writes what Nest logs, and every `new Logger("…")` of a class, to the log. */
export class JsonLogger extends ConsoleLogger {
  constructor() {
    super({ json: true });
  }

  protected override printAsJson(message: unknown, { context, logLevel, errorStack, params, error }: Line): void {
    // The reason for a failed start is also thrown, and printed there.
    if (context === "ExceptionHandler") return;
    const level = logLevel === "log" && starters.includes(context) ? "debug" : levels[logLevel];
    const text = typeof message === "string" ? message : inspect(message);
    const data = params && JSON.parse(this.stringifyJsonLogObject(params));
    log(level, text, { context: context || undefined, ...data, stack: errorStack, error });
    // Nest ends the process right after it has logged that a package is missing.
    if (level === "error") flushLog();
  }
}
