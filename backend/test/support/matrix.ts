import { frameworks as all } from "../../src/frameworks/names.ts";

const only = process.env["FRAMEWORK"];

/** The frameworks to test: all of them, or the one that FRAMEWORK names. */
export const frameworks = all.filter((name) => only === undefined || name === only);

/** Whether all tests run, including slow ones that are similar to others. */
export const isWholeMatrix = process.env["TEST_ALL"] !== undefined;

const isEach = isWholeMatrix || only !== undefined;

/**
 * For tests of the core: a framework that writes to Node's response, and one that returns a web Response; all of them
 * in the whole matrix or for one framework.
 */
export const oneOfEachKind = frameworks.filter((name) => isEach || name === "fastify" || name === "hono");

/** Long tests run with one half of the frameworks or with the other; in the whole matrix with all of them. */
const half = ["express", "fastify", "hono", "nest"];
export const someFrameworks = frameworks.filter((name) => isEach || half.includes(name));
export const otherFrameworks = frameworks.filter((name) => isEach || !half.includes(name));

interface Pair<Database> {
  framework: (typeof all)[number];
  kind: string;
  newDatabase: Database;
}

/** Each framework with one database, alternating; with all databases in the whole matrix or for one framework. */
export function inTurns<Database>(databases: Map<string, Database>): Pair<Database>[] {
  return frameworks.flatMap((framework, turn) =>
    [...databases]
      .filter((_, index) => isEach || index === turn % databases.size)
      .map(([kind, newDatabase]) => ({ framework, kind, newDatabase })),
  );
}

/** For tests of the store: each database once; like `inTurns` in the whole matrix or for one framework. */
export function oneOnEach<Database>(databases: Map<string, Database>): Pair<Database>[] {
  const pairs = inTurns(databases);
  return isEach ? pairs : pairs.slice(0, databases.size);
}
