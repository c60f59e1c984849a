import { Fault } from "../../fault.ts";
import type { Secrets } from "../secrets.ts";
import type { FlyRelease } from "./config.ts";
import { flyctl, listSecrets, unsetSecrets } from "./flyctl.ts";

/** The lines that `flyctl secrets import` reads, so written that it takes every value over as it is. */
export function importLines(secrets: Secrets): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}=${written(name, value)}\n`)
    .join("");
}

/** The values that a release had, or those of the live one if it is to have these, must be the newest. */
export function refuseOther(release: FlyRelease, now: Record<string, string>, live: FlyRelease | undefined): void {
  const [service] = release.services;
  const isLives = live !== undefined && live.services[0]?.secretsVersion === service?.secretsVersion;
  const { secretDigests } = isLives ? live : release;
  const other = service?.secrets.find((one) => now[one] !== secretDigests[one]);
  if (other !== undefined)
    throw new Fault(
      "secrets_gone",
      `Fly keeps only the newest value of a secret, and ${other} is not what ${isLives ? live.id : release.restores} had. Publish that commit with the values that it had${isLives ? "" : ", or go back with --keep-secrets"}.`,
    );
}

/** The digests that Fly shows instead of values. */
export async function digestsOf(app: string): Promise<Record<string, string>> {
  type Listed = Record<string, string>;
  const all = (await flyctl.json<Listed[]>(listSecrets(app))) ?? [];
  return Object.fromEntries(
    all.map((secret) => [secret["name"] ?? secret["Name"] ?? "", secret["digest"] ?? secret["Digest"] ?? ""]),
  );
}

export async function unset(app: string, secrets: string[]): Promise<void> {
  const now = await digestsOf(app);
  const names = secrets.filter((name) => name in now);
  if (names.length > 0) await flyctl.run(unsetSecrets(app, names));
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
