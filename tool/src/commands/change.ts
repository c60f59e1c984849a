import { createChange, createUpdate, type Edit, readAddition, readRemoval } from "../change/edit.ts";
import { makeChange, previewChange } from "../change/make.ts";
import { limitToService, readServiceAddition, readServiceRemoval } from "../change/services.ts";
import { findNewerVersion } from "../change/update.ts";
import { Fault } from "../fault.ts";
import { readFlags } from "../flags.ts";
import { findLocation } from "../location.ts";
import { print } from "../output.ts";
import { runReported } from "../progress.ts";
import { addUsage, changeUsage, removeUsage, updateUsage } from "../usage/change.ts";
import { version } from "../version.ts";

interface Flags {
  service?: string;
  plan?: boolean;
  diff?: boolean;
  install?: boolean;
}

/** Adds something to the request of a project. */
export async function addCommand(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(addUsage, args);
  const [word, ...rest] = positionals;
  return isService(word) ? change(readServiceAddition(rest), values) : changeWithin(readAddition(positionals), values);
}

/** Removes something from it. */
export async function removeCommand(args: string[]): Promise<number> {
  const { values, positionals } = readFlags(removeUsage, args);
  const [word, ...rest] = positionals;
  return isService(word) ? change(readServiceRemoval(rest), values) : changeWithin(readRemoval(positionals), values);
}

const isService = (word: string | undefined) => /^services?$/.test(word ?? "");

/** Changes a single choice, or a field. */
export async function changeCommand(args: string[]): Promise<number> {
  const { framework, database, node, field, ...flags } = readFlags(changeUsage, args).values;
  const single = Object.entries({ framework, database, node }).filter(([, value]) => value !== undefined);
  return changeWithin(createChange(Object.fromEntries(single), field === undefined ? {} : { fields: field }), flags);
}

/** Updates a project to this version, or checks for a newer one. */
export async function updateCommand(args: string[]): Promise<number> {
  const { check, ...flags } = readFlags(updateUsage, args).values;
  if (!check) return change(createUpdate(version), flags);
  const newer = await findNewerVersion();
  if (newer === undefined) print(`Dory ${version} is the newest version.`);
  else print(`Dory ${newer} is available, this is ${version}. In a project: npx dory@${newer} update`);
  return 0;
}

/** Changes the project, or the service that is named or whose folder this is. */
async function changeWithin(edit: Edit, { service = findLocation(".").service, ...flags }: Flags): Promise<number> {
  return change(limitToService(edit, service), flags);
}

async function change(edit: Edit, { service, plan = false, diff = false, install = true }: Flags): Promise<number> {
  if (service !== undefined) throw new Fault("usage", "--service is for a change to one service. Leave it out.");
  if (diff && !plan) throw new Fault("usage", "--diff works only with --plan.");
  const { folder } = findLocation(".");
  if (plan) {
    const { text, hasConflict } = await previewChange(folder, edit, diff);
    print(text);
    return hasConflict ? 1 : 0;
  }
  return runReported({ isQuiet: false }, async (reporter) => {
    await makeChange(folder, edit, { install, ...reporter });
    return 0;
  });
}
