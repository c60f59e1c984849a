import { join } from "node:path";
import { type Migration, readMigrations, readStatements } from "../../../backend/src/core/store/migrations.ts";
import { Fault } from "../fault.ts";
import { type Application, isPostgres, type Service } from "./application.ts";
import type { Release } from "./release.ts";

/** A migration that the live release does not have, and why that release may not live with it. */
export interface NewMigration {
  name: string;
  breaks: string[];
}

/** The migrations of each of our services that has some; the files are checked. */
export function listMigrations({ services }: Application, given: NodeJS.ProcessEnv): Map<string, Migration[]> {
  const all = services.map((service): [string, Migration[]] => [service.name, readOwn(service, given)]);
  return new Map(all.filter(([, migrations]) => migrations.length > 0));
}

function readOwn({ name, folder, request, env, secrets }: Service, given: NodeJS.ProcessEnv): Migration[] {
  if (folder === undefined || request === undefined) return [];
  const url = secrets.includes("DATABASE_URL") ? given["DATABASE_URL"] : env["DATABASE_URL"];
  const chosen = isPostgres(url) ? "postgres" : "sqlite";
  try {
    return readMigrations(request.database === "both" ? chosen : request.database, join(folder, "migrations"));
  } catch (error) {
    throw new Fault("migrations", `${name}: ${(error as Error).message}`);
  }
}

/** Those that the live release does not have. A release of an earlier version has not recorded any. */
export function findNew(service: string, migrations: Migration[], live: Release | undefined): NewMigration[] {
  const last = live?.migrations?.[service]?.last ?? "";
  return migrations
    .filter(({ name }) => name > last)
    .map(({ name, text }) => ({ name, breaks: live ? findBreaks(text) : [] }));
}

/** What a release records: the last migration of each service, and what its new ones may break. */
export function toRecord(
  all: Map<string, Migration[]>,
  planned: { name: string; migrations: NewMigration[] }[],
): Pick<Release, "migrations"> {
  const entries = [...all].map(([service, migrations]) => {
    const added = planned.find(({ name }) => name === service)?.migrations ?? [];
    const breaks = added.flatMap(({ name, breaks }) => breaks.map((one) => `${name} ${one}`));
    return [service, { last: migrations.at(-1)?.name ?? "", breaks }] as const;
  });
  return entries.length > 0 ? { migrations: Object.fromEntries(entries) } : {};
}

/** Why an earlier release may not fit the tables: what the releases after it have changed, also those that failed later. */
export function findMisfits(releases: Release[], wanted: string): string[] {
  const later = releases.slice(releases.findIndex(({ id }) => id === wanted) + 1);
  return later.flatMap(({ id, migrations = {} }) =>
    Object.entries(migrations).flatMap(([service, { breaks }]) => breaks.map((one) => `${service}: ${one} (${id})`)),
  );
}

/**
 * What in SQL a release may not live with that was written for the tables as they were. It reads text, so it may be wrong in
 * both directions.
 */
export function findBreaks(sql: string): string[] {
  const statements = readStatements(sql);
  const found = statements.flatMap((statement) => {
    const [, dropped] = /^drop table (?:if exists )?(.+?)(?: cascade| restrict)?$/i.exec(statement) ?? [];
    const [, table = "", actions = ""] = /^alter table (?:if exists )?(?:only )?(\S+) (.+)$/i.exec(statement) ?? [];
    if (dropped !== undefined) return [`drops the table ${unquote(dropped)}`];
    return splitActions(actions).flatMap((action) => {
      const what = describeBreak(action);
      return what === undefined ? [] : [`${what} of ${unquote(table)}`];
    });
  });
  return [...new Set(found)];
}

/** The actions of an `ALTER TABLE`, which are separated by commas outside of brackets. */
function splitActions(text: string): string[] {
  return text.split(/,(?![^(]*\))/).map((action) => action.trim());
}

function describeBreak(action: string): string | undefined {
  const patterns: [pattern: RegExp, what: string][] = [
    [/^drop (?:column )?(?:if exists )?(?!constraint\b|column\b|if\b)(\S+)/i, "drops the column"],
    [/^rename (?:column )?(?!to\b|constraint\b|column\b)(\S+) to\b/i, "renames the column"],
    [/^alter (?:column )?(?!column\b)(\S+) (?:set data )?type\b/i, "changes the type of the column"],
    [/^alter (?:column )?(?!column\b)(\S+) set not null/i, "requires the column"],
    [
      /^add (?:column )?(?:if not exists )?(?!constraint\b|column\b|if\b)(\S+) (?=.*\bnot null\b)(?!.*\b(?:default|generated)\b)/i,
      "requires the new column",
    ],
  ];
  if (/^rename to\b/i.test(action)) return "changes the name";
  for (const [pattern, what] of patterns) {
    const [, name] = pattern.exec(action) ?? [];
    if (name !== undefined) return `${what} ${unquote(name)}`;
  }
  return undefined;
}

const unquote = (name: string) => name.replaceAll('"', "");
