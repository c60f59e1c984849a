import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Fault } from "../fault.ts";
import type { Application } from "./application.ts";

/** Where the values of secrets may come from. */
export interface Given {
  /** From --env-file and --env-stdin. */
  files: NodeJS.ProcessEnv;
  /** The names in --env. */
  allowed: string[];
  /** Asks a person; undefined if there is none. */
  ask?: (question: string) => Promise<boolean>;
}

/**
 * The values of secrets. `dory.json` may be by others, and must not choose what leaves this machine: variables of the
 * environment count only if a person has allowed them, once for a project in a folder, or with --env.
 */
export async function collectValues(
  application: Application,
  { files, allowed, ask }: Given,
): Promise<NodeJS.ProcessEnv> {
  const declared = [...new Set(application.services.flatMap(({ secrets }) => secrets))];
  const unknown = allowed.find((name) => !declared.includes(name));
  if (unknown !== undefined)
    throw new Fault("usage", `--env ${unknown}: dory.json does not list ${unknown} among its secrets.`);
  const fromHere = declared.filter((name) => files[name] === undefined && process.env[name] !== undefined);
  const known = new Set([...allowed, ...readAllowed(application)]);
  const asked = fromHere.filter((name) => !known.has(name) && process.env[name]?.trim() !== "");
  if (asked.length > 0) await allow(application, asked, ask);
  return { ...Object.fromEntries(fromHere.map((name) => [name, process.env[name]])), ...files };
}

async function allow(application: Application, names: string[], ask: Given["ask"]): Promise<void> {
  const list = names.join(", ");
  const message = `dory.json asks for these variables of your environment: ${list}. All code of ${application.name} can read them.`;
  if (!ask)
    throw new Fault(
      "secret_not_allowed",
      `${message} If it should have them, add ${names.map((name) => `--env ${name}`).join(" ")}, or pass values with --env-file or --env-stdin.`,
    );
  if (!(await ask(`${message} Pass them, now and later?`))) throw new Fault("interrupted", "Nothing was changed.");
  remember(application, names);
}

/** By folder and id: neither another project in the folder, nor one that copied the id, gets them. */
interface Remembered {
  [folder: string]: { id: string | null; names: string[] };
}

function readAllowed(application: Application): string[] {
  const found = readFile()[realpathSync(application.folder)];
  return found && found.id === (application.id ?? null) ? found.names : [];
}

function remember(application: Application, names: string[]): void {
  const all = readFile();
  const own = { id: application.id ?? null, names: [...readAllowed(application), ...names] };
  mkdirSync(dirname(locateFile()), { recursive: true, mode: 0o700 });
  writeFileSync(locateFile(), `${JSON.stringify({ ...all, [realpathSync(application.folder)]: own }, null, 2)}\n`, {
    mode: 0o600,
  });
}

function readFile(): Remembered {
  try {
    return JSON.parse(readFileSync(locateFile(), "utf8"));
  } catch {
    // It does not exist yet, or is damaged: then people are asked again.
    return {};
  }
}

const locateFile = () => join(process.env["XDG_CONFIG_HOME"] || join(homedir(), ".config"), "dory", "allowed.json");
