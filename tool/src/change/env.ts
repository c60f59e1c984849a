import { randomBytes } from "node:crypto";
import { accessSync, appendFileSync, constants, existsSync, lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.ts";
import { printAnyEnv } from "../new/print/application/env.ts";
import type { AnyRequest } from "../new/services.ts";

/** The lines of `.env` that `after` needs and `before` did not. */
export function printNewEnv(before: AnyRequest, after: AnyRequest): string {
  const known = listNames(printAnyEnv(before, () => ""));
  const lines = printAnyEnv(after, () => randomBytes(32).toString("hex")).split("\n");
  return lines.filter((line) => ![undefined, ...known].includes(findName(line))).join("\n");
}

/** Refuses a `.env` that cannot be added to, or that is a link: a repository could have it point at any file of the user. */
export function checkEnv(folder: string, wanted: string): void {
  const path = join(folder, ".env");
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (wanted === "" || !found) return;
  if (found.isSymbolicLink())
    throw new Fault(
      "env_link",
      ".env is a symbolic link, and variables would be added to the file that it names. Replace it with a file.",
    );
  if (!found.isFile() || !isUsable(path))
    throw new Fault(
      "env",
      `.env cannot be read and written here, and ${listNames(wanted).join(", ")} would be added to it. Make it a file of your own, or move it away.`,
    );
}

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Adds missing variables to `.env`, so that `npm start` works at once. Returns their names. */
export function addToEnv(folder: string, wanted: string): string[] {
  checkEnv(folder, wanted);
  const path = join(folder, ".env");
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const set = listNames(text);
  const isSet = (name = "") => set.includes(name) || set.includes(`${name}_FILE`);
  const missing = wanted.split("\n").filter((line) => line !== "" && !isSet(findName(line)));
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  if (missing.length > 0) appendFileSync(path, `${gap}${missing.join("\n")}\n`, { mode: 0o600 });
  return listNames(missing.join("\n"));
}

/** The variables that are set in a text. */
export const listNames = (text: string) => text.split("\n").flatMap((line) => findName(line) ?? []);

const findName = (line: string) => /^\s*(?:export\s+)?(\w+)\s*=/.exec(line)?.[1];
