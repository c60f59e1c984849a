import { Fault } from "../fault.ts";
import { toNames } from "../new/names.ts";
import { quote } from "../new/programs.ts";
import type { Request } from "../new/request.ts";
import { type AnyRequest, isApplication } from "../new/services.ts";
import type { Change } from "./change.ts";
import { listNames, printNewEnv } from "./env.ts";
import type { Repository } from "./git.ts";
import { pairServices } from "./migrations.ts";
import { dropSchema, listLostDatabases } from "./sql.ts";

/** Notes for the owner, printed before the change. */
export function listNotes({ notes, before, after, steps }: Change): string[] {
  const files = steps.flatMap(({ additions = [] }) => additions.map(({ path }) => path));
  const written =
    files.length > 0
      ? ["The tables of a database in use need this migration. Read it before you start or publish:"]
      : [];
  return [
    ...notes,
    ...written,
    ...indentPaths(files),
    ...pairServices(before, after).flatMap((pair) =>
      pair.after ? listServiceNotes(pair.before, pair.after) : listRemovalNotes(pair.before),
    ),
  ];
}

const listServices = (request: AnyRequest) => (isApplication(request) ? request.services : [request]);

function listServiceNotes(before: Request, after: Request): string[] {
  const { name, application } = after;
  const routes = `Routes that you wrote for ${before.framework} must be rewritten by you: npm run check finds them.`;
  const lines = [...listLostDatabases(before, after), ...(before.framework === after.framework ? [] : [routes])];
  return application === undefined || lines.length === 0 ? lines : [`In the service ${name}:`, ...lines];
}

/** Files that are not in git stay. */
function listRemovalNotes({ name, database }: Request): string[] {
  const files = `Files that are not in git stay in the folder ${name}${database === "postgres" ? "" : ", SQLite files too"}: remove it when you no longer need it.`;
  return [files, ...(database === "sqlite" ? [] : dropSchema(name))];
}

/** What a plan compares: the branch before and after, or with conflicts what Dory made before and after. */
export function findCompared(
  { head }: Pick<Repository, "head">,
  { merged, pristine }: Change,
): [from: string, to: string] {
  return merged.conflict ? [pristine.from, pristine.to] : [head, merged.tree];
}

/** What a change would do, and whether it merges. */
export async function printPlan({ git, head }: Repository, change: Change, isWhole: boolean): Promise<string> {
  const { title, steps, merged } = change;
  if (steps.length === 0) return [...listNotes(change), "Nothing to change."].join("\n");
  const [from, to] = findCompared({ head }, change);
  const form = isWhole ? "--patch" : "--stat=100";
  const diff = (await git(["diff", "--no-ext-diff", "--no-textconv", "--no-color", form, from, to])).trimEnd();
  const result = merged.conflict
    ? [`${title}: conflicts with your changes, in:`, ...indentPaths(merged.conflict.paths)]
    : [`${title}: merges with your changes.`];
  return [...listNotes(change), diff, ...result].join("\n");
}

/** Explains a conflict. */
export function conflictFault({ merged: { conflict }, title, before, after }: Change): Fault {
  const { step, paths, sides, isLast } = conflict as NonNullable<typeof conflict>;
  const variables = listNames(printNewEnv(before, after));
  const lines = [
    `"${step.subject}" conflicts with your changes. git merged the rest and marked the conflicts, in:`,
    ...indentPaths(paths),
    ...(paths.some((path) => isMarked(sides.get(path))) ? ["Choose the right lines between <<<<<<< and >>>>>>>."] : []),
    ...paths.flatMap((path) => explainSides(path, sides.get(path))),
    "Then: git add -A && git commit && npm install. If npm changes package-lock.json, commit it, too.",
    ...(paths.some((path) => /(^|\/)compose\.yaml$/.test(path))
      ? ["For compose.yaml, run dory compose, which makes it from dory.json."]
      : []),
    ...listResourceFiles(after)
      .filter((file) => paths.some((path) => path === file || path.endsWith(`/${file}`)))
      .map((file) => `In ${file}, a field is one line, like ${fieldExample}: keep the fields of both sides.`),
    ...(paths.some((path) => /(^|\/)src\/config\.ts$/.test(path))
      ? ["In src/config.ts, take Dory's side and put your own settings below `...coreSettings(read, features),`."]
      : []),
    ...(paths.some((path) => /(^|\/)openapi\.json$/.test(path))
      ? ["For openapi.json, keep your side (git checkout --ours), and run npm run openapi once the rest is resolved."]
      : []),
    ...(variables.length > 0 ? [`Then add ${variables.join(", ")} to .env: .env.example explains them.`] : []),
    ...(isLast ? [] : [`After that, run this command again for: ${title}`]),
    "To undo the merge: git merge --abort",
  ];
  return new Fault("conflict", lines.join("\n"));
}

const isMarked = (sides = "") => sides.includes("2") && sides.includes("3");

/** A conflict without marks: one side does not have the file, or git has moved it along with others. */
function explainSides(path: string, sides: string | undefined): string[] {
  const [name, file] = [escapePath(path), quote(escapePath(path))];
  if (sides === "13") return [`You deleted ${name}, or moved it. To keep it so, first: git rm ${file}`];
  if (sides === "12") return [`Dory no longer makes ${name}, and you changed it. To remove it, first: git rm ${file}`];
  return isMarked(sides)
    ? []
    : [`${name} is here because other files of its folder were moved: check what it imports.`];
}

/** The files that list the fields of resources. */
function listResourceFiles(request: AnyRequest): string[] {
  const names = listServices(request).flatMap(({ resources }) => ["items", ...resources.map(({ name }) => name)]);
  return [...new Set(names)].map((name) => `src/${name}/${toNames(name).singular}.ts`);
}

const fieldExample = "price: optional(number({ min: 0 }))";

const indentPaths = (paths: string[]) => paths.map((path) => `  ${escapePath(path)}`);

/** Without control characters, which a terminal would interpret. */
const escapePath = (path: string) => path.replaceAll(/\p{Cc}/gu, "?");
