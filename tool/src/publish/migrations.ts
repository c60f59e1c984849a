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

/** Those that the live release does not have, whose own must be there. A release of an earlier version has not recorded any. */
export function findNew(service: string, migrations: Migration[], live: Release | undefined): NewMigration[] {
  const last = live?.migrations?.[service]?.last ?? "";
  const newest = migrations.at(-1)?.name ?? "";
  if (last.slice(0, 4) > newest.slice(0, 4))
    throw new Fault(
      "migrations",
      `${service}: the live release ${live?.id} has the migration ${last}, whose file is missing. Restore it.`,
    );
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
  const statements = readStatements(sql).map((statement) => statement.replaceAll(/"[^"]*"/g, hideSeparators));
  const created = statements.map((one) => /^create (?:\w+ )*?table (?:if not exists )?([^\s(]+)/i.exec(one)?.[1]);
  const found = statements.flatMap((statement) => {
    const [, kind = "", dropped] = removal.exec(statement) ?? [];
    if (dropped !== undefined) return [`drops the ${kind.toLowerCase()} ${unquote(dropped)}`];
    const [, emptied] = emptying.exec(statement) ?? [];
    if (emptied !== undefined) return [`empties the table ${unquote(emptied)}`];
    const [, indexed] = uniqueIndex.exec(statement) ?? [];
    const [, table = indexed ?? "", actions = ""] = alteration.exec(statement) ?? [];
    if (created.includes(table)) return [];
    if (indexed !== undefined) return [`adds a unique index to the rows of ${unquote(indexed)}`];
    return splitActions(actions).flatMap((action) => {
      const what = describeBreak(action);
      return what === undefined ? [] : [`${what} of ${unquote(table)}`];
    });
  });
  return [...new Set(found)];
}

const removal = /^drop (table|schema|view|materialized view) (?:if exists )?(.+?)(?: cascade| restrict)?$/i;
const emptying =
  /^truncate (?:table )?(?:only )?(.+?)(?: restart identity| continue identity)?(?: cascade| restrict)?$/i;
const uniqueIndex = /^create unique index .*?\bon (?:only )?([^\s(]+)/i;
const alteration = /^alter table (?:if exists )?(?:only )?(\S+) (.+)$/i;

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
    [/^alter (?:column )?(?!column\b)(\S+) drop default/i, "drops the default of the column"],
    [
      /^add (?:column )?(?:if not exists )?(?!constraint\b|column\b|if\b)(\S+) (?=.*\bnot null\b)(?!.*\b(?:default|generated)\b)/i,
      "requires the new column",
    ],
  ];
  if (/^rename to\b/i.test(action)) return "changes the name";
  if (/^set schema\b/i.test(action)) return "changes the schema";
  if (/^add (constraint|check|unique|primary key|foreign key|exclude)\b/i.test(action))
    return "adds a rule for the rows";
  for (const [pattern, what] of patterns) {
    const [, name] = pattern.exec(action) ?? [];
    if (name !== undefined) return `${what} ${unquote(name)}`;
  }
  return undefined;
}

/** Quoted names may have blanks and commas. */
const hideSeparators = (name: string) => name.replaceAll(" ", "\u0001").replaceAll(",", "\u0002");

const unquote = (name: string) => name.replaceAll('"', "").replaceAll("\u0001", " ").replaceAll("\u0002", ",");
