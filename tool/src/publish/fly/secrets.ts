import { Fault } from "../../fault.ts";
import type { Secrets } from "../secrets.ts";

/** The lines that `flyctl secrets import` reads, so written that it takes every value over as it is. */
export function importLines(secrets: Secrets): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}=${written(name, value)}\n`)
    .join("");
}

function written(name: string, value: string): string {
  const forms = value.includes("\n") ? [`"""${value}"""`] : [value, `"${value}"`];
  const kept = forms.find((form) => isKept(form, value));
  if (kept !== undefined) return kept;
  throw new Fault(
    "fly_secret",
    `flyctl cannot take over the value of ${name} unchanged: it has quotes before a "#" or at its start, a carriage return, or a very long line. Choose another value.`,
  );
}

/** Whether flyctl, which knows comments, quotes and lines but no escapes, reads this form as the value. */
function isKept(form: string, value: string): boolean {
  const lines = form.split("\n");
  if (value.includes("\r") || lines.some((line) => line.length > 60_000) || isCut(lines[0] ?? "")) return false;
  if (lines.length > 1) return !lines.slice(0, -1).some((line) => line.endsWith('"""'));
  // Versions differ in three quotes on one line.
  return !form.startsWith('"""') && unquoted(form) === value;
}

/** A `#` begins a comment if an even number of quotes stands before it. */
function isCut(line: string): boolean {
  const at = line.indexOf("#");
  return at >= 0 && line.slice(0, at).split('"').length % 2 === 1;
}

function unquoted(form: string): string {
  return /^["']/.test(form) ? form.slice(1, -1) : form.trim();
}
