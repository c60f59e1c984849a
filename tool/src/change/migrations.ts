import { join } from "node:path/posix";
import type { Request } from "../new/request.ts";
import { type AnyRequest, isApplication } from "../new/services.ts";
import type { Repository } from "./git.ts";
import type { Settled } from "./settle.ts";
import { groupMigrations, planMigrations, printMigrationFile } from "./sql.ts";

/** A request before and after a change: the project's own, or that of a service, which has a folder. */
export interface Pair {
  folder: string;
  before: Request;
  /** Undefined if the service is removed. */
  after: Request | undefined;
}

export function pairServices(before: AnyRequest, after: AnyRequest): Pair[] {
  const list = (request: AnyRequest) => (isApplication(request) ? request.services : [request]);
  return list(before).map((one) => ({
    folder: isApplication(before) ? one.name : "",
    before: one,
    after: isApplication(before) ? list(after).find(({ name }) => name === one.name) : list(after)[0],
  }));
}

/** The migrations that a change needs. They are the owner's files: no project that Dory makes has them. */
export async function writeMigrations(
  repository: Repository,
  { title, before, after }: { title: string; before: AnyRequest; after: AnyRequest },
): Promise<Settled[]> {
  const files: Settled[] = [];
  for (const pair of pairServices(before, after)) {
    if (!pair.after) continue;
    const folder = `${repository.prefix}${join(pair.folder, "migrations")}`;
    const own = await readOwn(repository, folder);
    const number = findNextNumber([...own.keys()]);
    const migrations = planMigrations(pair.before, pair.after, (database, table, name) => {
      const texts = [...own].filter(([path]) => path.endsWith(`.${database}.sql`)).map(([, text]) => text);
      return isLeft(texts, table, name) ? `${name}_before_${print(number)}` : undefined;
    });
    for (const [index, group] of groupMigrations(migrations).entries())
      for (const database of ["sqlite", "postgres"] as const) {
        const text = printMigrationFile(group, database);
        const path = `${folder}/${print(number + index)}-${toFileName(title)}.${database}.sql`;
        if (text !== undefined) files.push({ path, file: { text, mode: "100644" } });
      }
  }
  return files;
}

/** The files that are there already, in their order: each path and its text. */
async function readOwn({ git, head }: Repository, folder: string): Promise<Map<string, string>> {
  const listed = await git(["ls-tree", "-z", "--full-tree", "--name-only", head, `${folder}/`]);
  const paths = listed.split("\0").filter((path) => /\/\d{4}-[^/]*\.sql$/.test(path));
  const texts = paths.sort().map(async (path) => [path, await git(["cat-file", "blob", `${head}:${path}`])] as const);
  return new Map(await Promise.all(texts));
}

/** Whether a removed field left its column: the last that is said about dropping or renaming it is a comment. */
function isLeft(texts: string[], table: string, column: string): boolean {
  // Both are letters, digits and dashes.
  const [on, name] = [table, column].map((one) => String.raw`"?${one}"?(?![\w"-])`);
  const change = String.raw`^(.*)\balter table (?:if exists )?${on} (?:drop|rename) (?:column )?(?:if exists )?${name}`;
  const last = [...texts.join("\n").matchAll(new RegExp(change.replaceAll(" ", "\\s+"), "gim"))].at(-1);
  return last?.[1]?.includes("--") ?? false;
}

/** The number after the highest, for whichever database that is. */
function findNextNumber(paths: string[]): number {
  const numbers = paths.map((path) => Number(/\/(\d{4})-[^/]*$/.exec(path)?.[1]));
  return Math.max(0, ...numbers) + 1;
}

const print = (number: number) => String(number).padStart(4, "0");

function toFileName(title: string): string {
  const words = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return words.slice(0, 50).replaceAll(/^-|-$/g, "");
}
