import { join } from "node:path/posix";
import type { Request } from "../new/request.ts";
import { type AnyRequest, isApplication } from "../new/services.ts";
import type { Repository } from "./git.ts";
import type { Settled } from "./settle.ts";
import { type Database, planMigrations, printMigrationFile } from "./sql.ts";

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
    const migrations = pair.after ? planMigrations(pair.before, pair.after) : [];
    const texts = (["sqlite", "postgres"] as const).flatMap((database): [Database, string][] => {
      const text = printMigrationFile(migrations, database);
      return text === undefined ? [] : [[database, text]];
    });
    const folder = `${repository.prefix}${join(pair.folder, "migrations")}`;
    const name = texts.length > 0 ? `${await findNextNumber(repository, folder)}-${toFileName(title)}` : "";
    for (const [database, text] of texts)
      files.push({ path: `${folder}/${name}.${database}.sql`, file: { text, mode: "100644" } });
  }
  return files;
}

/** The number after the highest, for whichever database that is. */
async function findNextNumber({ git, head }: Repository, folder: string): Promise<string> {
  const listed = await git(["ls-tree", "-z", "--full-tree", "--name-only", head, `${folder}/`]);
  const numbers = [...listed.matchAll(/\/(\d{4})-[^/\0]*\.sql\0/g)].map(([, digits]) => Number(digits));
  return String(Math.max(0, ...numbers) + 1).padStart(4, "0");
}

function toFileName(title: string): string {
  const words = title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return words.slice(0, 50).replaceAll(/^-|-$/g, "");
}
