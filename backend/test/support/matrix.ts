import { frameworks as all } from "../../src/frameworks/names.ts";

const only = process.env["FRAMEWORK"];

/** The frameworks to test: all of them, or the one that FRAMEWORK names. */
export const frameworks = all.filter((name) => only === undefined || name === only);

/** Whether this run adds what `npm test` leaves out: slow tests, and those that are similar to others. */
export const isWholeMatrix = process.env["TEST_ALL"] !== undefined;

/** Why a test is skipped that `npm test` leaves out; false if it runs. */
export const later = isWholeMatrix ? false : "left to npm run test:all";

/** Whether a test is part of this run: of `npm test`, or of the rest; for one framework all are. */
export const isInThisRun = (isInNpmTest: boolean) => only !== undefined || isInNpmTest !== isWholeMatrix;

/** Why a test is skipped that is part of `npm test`; false if it runs. */
export const earlier = isInThisRun(true) ? false : "part of npm test";

/** For tests of the core that depend little on the framework: `npm test` has them in one, `npm run test:all` in the others. */
export const firstIn = (first: (typeof all)[number]) => frameworks.filter((name) => isInThisRun(name === first));

/** A framework that writes to Node's response, and one that returns a web Response. */
const kinds = ["fastify", "hono"];
export const isOfEachKind = (framework: string) => kinds.includes(framework);
/** For tests of the core: one framework of each kind. */
export const oneOfEachKind = frameworks.filter((name) => isInThisRun(isOfEachKind(name)));

interface Pair<Database> {
  framework: (typeof all)[number];
  kind: string;
  newDatabase: Database;
}

/** Each framework with one database, alternating. */
export const inTurns = <Database>(databases: Map<string, Database>) => pairs(databases, () => true);

/** For tests of the store: each database once; in the whole matrix every framework once, on alternating databases. */
export const oneOnEach = <Database>(databases: Map<string, Database>) =>
  pairs(databases, (framework) => all.indexOf(framework) < databases.size, { isAlternating: only === undefined });

/** One framework of each kind with one database. */
export const kindsInTurns = <Database>(databases: Map<string, Database>) => pairs(databases, isOfEachKind);

/** The pairs of this run. `npm test` has some of the frameworks, each with one database, alternating. */
function pairs<Database>(
  databases: Map<string, Database>,
  isInNpmTest: (framework: Pair<Database>["framework"]) => boolean,
  { isAlternating = false } = {},
): Pair<Database>[] {
  return frameworks.flatMap((framework, turn) => {
    const isChosen = (isTurn: boolean) => (isTurn || !isAlternating) && isInThisRun(isInNpmTest(framework) && isTurn);
    return [...databases]
      .filter((_, index) => isChosen(index === turn % databases.size))
      .map(([kind, newDatabase]) => ({ framework, kind, newDatabase }));
  });
}
