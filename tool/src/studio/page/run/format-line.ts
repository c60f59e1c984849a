/** A line of a backend's log for people: `12:30:01 GET /items 200 0.6 ms`. Anything else stays as it is. */
export function formatLine(line: string): string {
  const entry = readEntry(line);
  if (!entry) return line;
  const { time = "", level, message = "", method, route, status, durationMs, requestId: _, ...rest } = entry;
  const clock = String(time).slice(11, 19);
  const what =
    method === undefined ? String(message) : [method, route ?? "(no route)", status, `${durationMs} ms`].join(" ");
  const more = Object.entries(rest).map(([name, value]) => `${name}=${print(value)}`);
  return [clock, ...(level === "info" ? [] : [level]), what, ...more].join(" ").trim();
}

function readEntry(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{"time":')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

const print = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value));
