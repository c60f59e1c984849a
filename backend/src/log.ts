import { inspect } from "node:util";

export const logLevels = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export const logging: { level: LogLevel } = { level: "info" };
let pending = "";

/** Writes a JSON line to stdout. The lines of a moment leave together: each write blocks. */
export function log(level: LogLevel, message: string, details: Record<string, unknown> = {}): void {
  if (logLevels.indexOf(level) < logLevels.indexOf(logging.level)) return;
  if (pending === "") setTimeout(flushLog, 10).unref();
  const told = details["error"] ? { ...details, error: inspect(details["error"]) } : details;
  pending += `${JSON.stringify({ time: new Date().toISOString(), level, message, ...told })}\n`;
}

export function flushLog(): void {
  if (pending !== "") process.stdout.write(pending);
  pending = "";
}
