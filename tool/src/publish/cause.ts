/** How many lines of a log are searched for the cause of a failure: a stack and the members of an error fit. */
export const searchedLines = 60;

/** How many of them are shown. */
export const shownLines = 8;

/** The line of a log that says why a process failed: its last error, without time, stack and other members. */
export function findCause(lines: string[]): string | undefined {
  const plain = lines.filter((line) => readEntry(line) === undefined && !isNoise(line));
  const found =
    lines.map((line, at) => explainEntry(line, isError) ?? explainStack(lines, at)).findLast(Boolean) ??
    // What a process prints before it ends is worse than a warning.
    plain.findLast((line) => soundsWrong.test(line)) ??
    // Backends warn while they wait for their database.
    lines.map((line) => explainEntry(line, isWarning)).findLast(Boolean) ??
    plain.at(-1);
  return found?.trim().replaceAll(/\s+/g, " ") || undefined;
}

const soundsWrong = /error|fail|fatal|panic|cannot|must|missing|invalid|refused|denied|memory/i;

/** Members of a printed error, and what Node adds at the end. */
const isNoise = (line: string) =>
  /^\s*(\w+: .*,?|[\]})]+,?|Node\.js v[\d.]+)?\s*$/.test(line) && /^(\s|\W|$|Node)/.test(line);

/** A line of a structured log; some platforms write a time and a name before it. */
function readEntry(line: string): Record<string, unknown> | undefined {
  const start = line.indexOf("{");
  if (start < 0 || !line.trimEnd().endsWith("}")) return undefined;
  try {
    return JSON.parse(line.slice(start));
  } catch {
    return undefined;
  }
}

/** The message of an entry of a level, with the messages of what caused it. */
function explainEntry(line: string, isWanted: (level: unknown) => boolean): string | undefined {
  const entry = readEntry(line);
  if (!entry || !isWanted(entry["level"] ?? entry["severity"])) return undefined;
  const { message, msg = message, error, err = error, reason, status } = entry;
  // The line of a request that failed; another one has the error.
  if (err === undefined && status !== undefined) return undefined;
  return (
    [msg, reason, ...listMessages(err)].filter((text) => typeof text === "string" && text !== "").join(": ") ||
    undefined
  );
}

/** By name, or by number as pino does. */
const isError = (level: unknown) =>
  typeof level === "number" ? level >= 50 : /^(err|error|fatal|critical|alert|emergency)$/i.test(String(level));

const isWarning = (level: unknown) => level === 40 || /^warn(ing)?$/i.test(String(level));

function listMessages(error: unknown): unknown[] {
  if (typeof error !== "object" || error === null) return [error];
  const { message, cause } = error as { message?: unknown; cause?: unknown };
  return [message, ...(cause === undefined ? [] : listMessages(cause))];
}

const isFrame = (line: string | undefined) => line !== undefined && /(^|\s)\s{2,}at \S/.test(line);

/** The line above the first frame of a stack that begins at an index; the message may have several lines. */
function explainStack(lines: string[], at: number): string | undefined {
  if (!isFrame(lines[at]) || isFrame(lines[at - 1])) return undefined;
  const above = lines.slice(Math.max(0, at - 5), at).filter((line) => line.trim() !== "");
  const head = above.findLast((line) => /\b\w*(error|exception)\b.*:|\bpanic:/i.test(line)) ?? above.at(-1);
  return head?.replace(/^.*\[(cause|errors)\]: (\[\s*)?/, "").replace(/^\s*Uncaught /, "");
}
