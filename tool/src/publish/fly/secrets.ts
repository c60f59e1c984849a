import { Fault } from "../../fault.ts";
import type { Secrets } from "../secrets.ts";
import type { FlyRelease } from "./config.ts";
import { flyctl, listSecrets, unsetSecrets } from "./flyctl.ts";

/** The lines for `flyctl secrets import`, quoted so that it reads every value unchanged. */
export function printImport(secrets: Secrets): string {
  return Object.entries(secrets)
    .map(([name, value]) => `${name}=${quote(name, value)}\n`)
    .join("");
}

/** Throws unless Fly still has the values that the release needs: its own, or those of the live one. */
export function refuseOther(release: FlyRelease, now: Record<string, string>, live: FlyRelease | undefined): void {
  const [service] = release.services;
  const hasLiveSecrets = live !== undefined && live.services[0]?.secretsVersion === service?.secretsVersion;
  const { secretDigests } = hasLiveSecrets ? live : release;
  const other = service?.secrets.find((one) => now[one] !== secretDigests[one]);
  if (other !== undefined)
    throw new Fault(
      "secrets_gone",
      `Fly keeps only the newest value of a secret, and ${other} is not what ${hasLiveSecrets ? live.id : release.restores} had. Publish that commit with the values that it had${hasLiveSecrets ? "" : ", or roll back with --keep-secrets"}.`,
    );
}

/** The digests that Fly shows instead of values. */
export async function readDigests(app: string): Promise<Record<string, string>> {
  type FlySecret = Record<string, string>;
  const all = (await flyctl.readJson<FlySecret[]>(listSecrets(app))) ?? [];
  return Object.fromEntries(
    all.map((secret) => [secret["name"] ?? secret["Name"] ?? "", secret["digest"] ?? secret["Digest"] ?? ""]),
  );
}

export async function unset(app: string, secrets: string[]): Promise<void> {
  const now = await readDigests(app);
  const names = secrets.filter((name) => name in now);
  if (names.length > 0) await flyctl.run(unsetSecrets(app, names));
}

function quote(name: string, value: string): string {
  const forms = value.includes("\n") ? [`"""${value}"""`] : [value, `"${value}"`];
  const kept = forms.find((form) => isReadAs(form, value));
  if (kept !== undefined) return kept;
  throw new Fault(
    "fly_secret",
    `flyctl cannot import the value of ${name} unchanged: it has quotes before a "#" or at its start, a carriage return, or a very long line. Choose another value.`,
  );
}

/** Whether flyctl reads this form as the value. It knows comments, quotes and lines, but no escapes. */
function isReadAs(form: string, value: string): boolean {
  const lines = form.split("\n");
  if (value.includes("\r") || lines.some((line) => line.length > 60_000) || hasComment(lines[0] ?? "")) return false;
  if (lines.length > 1) return !lines.slice(0, -1).some((line) => line.endsWith('"""'));
  // Versions of flyctl read three quotes on one line differently.
  return !form.startsWith('"""') && unquote(form) === value;
}

/** A `#` after an even number of quotes begins a comment. */
function hasComment(line: string): boolean {
  const at = line.indexOf("#");
  return at >= 0 && line.slice(0, at).split('"').length % 2 === 1;
}

function unquote(form: string): string {
  return /^["']/.test(form) ? form.slice(1, -1) : form.trim();
}
