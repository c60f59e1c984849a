import { Fault } from "../fault.ts";
import { quoted } from "../new/programs.ts";
import type { Request } from "../new/request.ts";
import { type AnyRequest, isApplication } from "../new/services.ts";
import type { Change } from "./change.ts";
import { namesIn, newEnv } from "./env.ts";
import type { Repository } from "./git.ts";
import { goneSchema, migrationsFor, printMigrations } from "./sql.ts";

/** What an owner should know before anything is done. */
export function notesOf({ notes, before, after }: Change): string[] {
  const pairs = servicesOf(before).map(
    (one) => [one, servicesOf(after).find(({ name }) => name === one.name)] as const,
  );
  return [...notes, ...pairs.flatMap(([one, other]) => (other ? notesOn(one, other) : goneNotes(one)))];
}

const servicesOf = (request: AnyRequest) => (isApplication(request) ? request.services : [request]);

function notesOn(before: Request, after: Request): string[] {
  const { name, application } = after;
  const routes = `Routes that you wrote for ${before.framework} are yours to rewrite: npm run check finds them.`;
  const lines = [
    ...printMigrations(migrationsFor(before, after)),
    ...(before.framework === after.framework ? [] : [routes]),
  ];
  return application === undefined || lines.length === 0 ? lines : [`In the service ${name}:`, ...lines];
}

/** What git does not know stays. */
function goneNotes({ name, database }: Request): string[] {
  const files = `What git does not keep stays in the folder ${name}${database === "postgres" ? "" : ", SQLite files too"}: remove it when you need it no more.`;
  return [files, ...(database === "sqlite" ? [] : printMigrations([goneSchema(name)]))];
}

/** What a change would do, and whether it merges. */
export async function printPlan({ git, head }: Repository, change: Change, isWhole: boolean): Promise<string> {
  const { title, steps, merged, pristine } = change;
  if (steps.length === 0) return [...notesOf(change), "Nothing differs."].join("\n");
  const [from, to] = merged.conflict ? [pristine.from, pristine.to] : [head, merged.tree];
  const form = isWhole ? "--patch" : "--stat=100";
  const diff = (await git(["diff", "--no-ext-diff", "--no-color", form, from, to])).trimEnd();
  const result = merged.conflict
    ? [`${title}: conflicts with what you changed, in:`, ...listed(merged.conflict.paths)]
    : [`${title}: merges with what you changed.`];
  return [...notesOf(change), diff, ...result].join("\n");
}

/** A conflict in plain words. */
export function conflictFault({ merged: { conflict }, title, before, after }: Change): Fault {
  const { step, paths, deleted, isLast } = conflict as NonNullable<typeof conflict>;
  const variables = namesIn(newEnv(before, after));
  const lines = [
    `"${step.subject}" meets what you changed. git has merged the rest and marked what conflicts, in:`,
    ...listed(paths),
    "In each, keep what is right between <<<<<<< and >>>>>>>. Then: git add -A && git commit && npm install",
    ...deleted.map(
      (path) => `You deleted ${shown(path)}, or moved it. To leave it so, first: git rm ${quoted(shown(path))}`,
    ),
    ...(paths.some((path) => /(^|\/)compose\.yaml$/.test(path))
      ? ["Of compose.yaml, dory compose makes the right one from dory.json."]
      : []),
    ...(variables.length > 0 ? [`.env needs ${variables.join(", ")} then: .env.example explains.`] : []),
    ...(isLast ? [] : [`After that, run this command again for: ${title}`]),
    "To go back to how it was: git merge --abort",
  ];
  return new Fault("conflict", lines.join("\n"));
}

const listed = (paths: string[]) => paths.map((path) => `  ${shown(path)}`);

/** A name must not be able to write to the terminal. */
const shown = (path: string) => path.replaceAll(/\p{Cc}/gu, "?");
