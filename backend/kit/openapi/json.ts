/** The formatter's setting. */
export const lineWidth = 120;

/** JSON text in the formatter's layout: objects over several lines, lists of plain values on one if they fit. */
export function printJson(value: unknown): string {
  return `${layOut(value, 0, 0)}\n`;
}

function layOut(value: unknown, indent: number, taken: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return layOutList(value, indent, taken);
  const parts: string[] = [];
  for (const [name, member] of Object.entries(value)) {
    // As in JSON.stringify.
    if (member === undefined) continue;
    const key = JSON.stringify(name);
    parts.push(`${key}: ${layOut(member, indent + 2, key.length + 3)}`);
  }
  return wrap("{", parts, "}", indent);
}

function layOutList(values: unknown[], indent: number, taken: number): string {
  const isPlain = values.every((value) => typeof value !== "object" || value === null);
  if (isPlain) {
    const flat = `[${values.map((value) => JSON.stringify(value)).join(", ")}]`;
    if (indent + taken + flat.length <= lineWidth) return flat;
  }
  return wrap(
    "[",
    values.map((value) => layOut(value, indent + 2, 1)),
    "]",
    indent,
  );
}

function wrap(open: string, parts: string[], close: string, indent: number): string {
  if (parts.length === 0) return open + close;
  const inner = `\n${" ".repeat(indent + 2)}`;
  return `${open}${inner}${parts.join(`,${inner}`)}\n${" ".repeat(indent)}${close}`;
}
