import { frameworks as all } from "../../src/frameworks/names.ts";

const only = process.env["FRAMEWORK"];

/** The frameworks whose tests run: all of them, or the one that FRAMEWORK names. */
export const frameworks = all.filter((name) => only === undefined || name === only);

/** Whether all is run, also what is slow and much like something else. */
export const isWholeMatrix = process.env["TEST_ALL"] !== undefined;

interface Pair<Database> {
  framework: (typeof all)[number];
  kind: string;
  newDatabase: Database;
}

/** Each framework with one database, in turns; with all of them if the whole matrix or one framework is run. */
export function inTurns<Database>(databases: Map<string, Database>): Pair<Database>[] {
  const isEach = isWholeMatrix || only !== undefined;
  return frameworks.flatMap((framework, turn) =>
    [...databases]
      .filter((_, index) => isEach || index === turn % databases.size)
      .map(([kind, newDatabase]) => ({ framework, kind, newDatabase })),
  );
}
