import type { HttpRequest } from "./http/request.ts";
import { taking } from "./http/routes.ts";

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export const logging: { level: LogLevel } = { level: "info" };
let pending = "";

// When the reader of the log goes away, the server continues without it.
process.stdout.on("error", () => {});

/** Writes a JSON line to stdout. Lines of the same moment are written together, because each write blocks. */
export function log(level: LogLevel, message: string, details: Record<string, unknown> = {}): void {
  if (!isLogged(level)) return;
  const shown = details["error"] ? { ...details, error: membersOf(details["error"]) } : details;
  write(`${JSON.stringify({ time: timestamp(), level, message, ...shown })}\n`);
}

/** The line of a request: never a body, a query or a header. */
export function logRequest(req: HttpRequest, res: { statusCode: number; writableFinished: boolean }, ms: number): void {
  const level = res.statusCode < 500 ? "info" : "error";
  if (!isLogged(level)) return;
  const [route] = req.match ? taking(req.match, req.method ?? "") : [];
  const pattern = route ? JSON.stringify(route.pattern) : null;
  const status = res.writableFinished ? res.statusCode : '"aborted"';
  const durationMs = Math.round(ms * 100) / 100;
  // Built by hand, because it runs for every request; an id and a method need no escaping.
  write(
    `{"time":"${timestamp()}","level":"${level}","message":"request","requestId":"${req.requestId}","method":"${req.method}","route":${pattern},"status":${status},"durationMs":${durationMs}}\n`,
  );
}

export function flushLog(): void {
  if (pending !== "") process.stdout.write(pending);
  pending = "";
}

function isLogged(level: LogLevel): boolean {
  return logLevels.indexOf(level) >= logLevels.indexOf(logging.level);
}

let [moment, text] = [0, ""];

/** Cached, because many requests share a millisecond. */
function timestamp(): string {
  const now = Date.now();
  if (now !== moment) [moment, text] = [now, new Date(now).toISOString()];
  return text;
}

function write(line: string): void {
  if (pending === "") setTimeout(flushLog, 10).unref();
  pending += line;
}

/** Errors of drivers and clients may contain rows, headers and passwords: only these members are logged. */
function membersOf(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, code, message, stack, cause } = error as NodeJS.ErrnoException;
  return { name, code, message, stack, ...(cause instanceof Error && { cause: membersOf(cause) }) };
}
