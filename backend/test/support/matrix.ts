import { frameworks as all } from "../../src/frameworks/names.ts";

const only = process.env["FRAMEWORK"];

/** The frameworks whose tests run: all of them, or the one that FRAMEWORK names. */
export const frameworks = all.filter((name) => only === undefined || name === only);

/** Whether all is run, also what is slow and much like something else. */
export const isWholeMatrix = process.env["TEST_ALL"] !== undefined;

const isEach = isWholeMatrix || only !== undefined;

/**
 * For what the core does around any framework: one that writes to Node's response, and one that returns a web Response;
 * all of them if the whole matrix or one framework is run.
 */
export const oneOfEachKind = frameworks.filter((name) => isEach || name === "fastify" || name === "hono");

/** Half of them, and the other half: what is long is done with one half here and with the other there, or with all in the whole matrix. */
const half = ["express", "fastify", "hono", "nest"];
export const someFrameworks = frameworks.filter((name) => isEach || half.includes(name));
export const otherFrameworks = frameworks.filter((name) => isEach || !half.includes(name));

interface Pair<Database> {
  framework: (typeof all)[number];
  kind: string;
  newDatabase: Database;
}

/** Each framework with one database, in turns; with all of them if the whole matrix or one framework is run. */
export function inTurns<Database>(databases: Map<string, Database>): Pair<Database>[] {
  return frameworks.flatMap((framework, turn) =>
    [...databases]
      .filter((_, index) => isEach || index === turn % databases.size)
      .map(([kind, newDatabase]) => ({ framework, kind, newDatabase })),
  );
}

/** For what the store does behind any framework: each database once, or as `inTurns` if the whole matrix or one framework is run. */
export function oneOnEach<Database>(databases: Map<string, Database>): Pair<Database>[] {
  const pairs = inTurns(databases);
  return isEach ? pairs : pairs.slice(0, databases.size);
}
