import { type Match, selectRoutes } from "./http/routes.ts";

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export const logging: { level: LogLevel } = { level: "info" };
let pending = "";

// When the reader of the log goes away, the server continues without it.
process.stdout.on("error", () => {});

/** Writes a JSON line to stdout. Lines of the same moment are written together, because each write blocks. */
export function log(level: LogLevel, message: string, details: Record<string, unknown> = {}): void {
  if (!isLogged(level)) return;
  const shown = details["error"] ? { ...details, error: toMembers(details["error"]) } : details;
  write(`${JSON.stringify({ time: timestamp(), level, message, ...shown })}\n`);
}

interface LoggedRequest {
  requestId: string;
  method?: string | undefined;
  match: Match | undefined;
  /** Further members of the line, as JSON. */
  logMembers: string;
}

/** The line of a request: never a body, a query or a header. */
export function logRequest(
  req: LoggedRequest,
  res: { statusCode: number; writableFinished: boolean; cutBecause?: string | undefined },
  ms: number,
): void {
  const reason = res.writableFinished ? undefined : res.cutBecause;
  const level = res.statusCode < 500 ? (reason ? "warn" : "info") : "error";
  if (!isLogged(level)) return;
  const [route] = req.match ? selectRoutes(req.match, req.method ?? "") : [];
  const pattern = route ? JSON.stringify(route.pattern) : null;
  const status = res.writableFinished ? res.statusCode : '"aborted"';
  const durationMs = Math.round(ms * 100) / 100;
  // Built by hand, because it runs for every request; an id and a method need no escaping.
  write(
    `{"time":"${timestamp()}","level":"${level}","message":"request","requestId":"${req.requestId}","method":"${req.method}","route":${pattern},"status":${status},"durationMs":${durationMs}${req.logMembers}${reason ? `,"reason":"${reason}"` : ""}}\n`,
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

/** Lines of the same moment are written together. */
export function write(line: string): void {
  if (pending === "") setTimeout(flushLog, 10).unref();
  pending += line;
}

const maxLength = 10_000;

/**
 * Anything can be thrown, also an object that is no error. Errors of drivers and clients may contain rows, headers and passwords: only these members are logged. Anything can be
 * thrown, also a value whose members throw.
 */
export function toMembers(error: unknown, depth = 0): unknown {
  try {
    if (typeof error !== "object" || error === null) return shorten(error);
    const { name, code, message, stack, cause } = error as NodeJS.ErrnoException;
    if (message === undefined && code === undefined) return shorten(error);
    const members = { name: shorten(name), code: shorten(code), message: shorten(message), stack: shorten(stack) };
    return { ...members, ...(cause instanceof Error && depth < 5 && { cause: toMembers(cause, depth + 1) }) };
  } catch {
    return "a value that cannot be converted to text";
  }
}

const shorten = (value: unknown) => (value === undefined ? undefined : String(value).slice(0, maxLength));
