import { describe } from "node:test";
import { everyDatabase } from "../kit/test/databases.ts";
import { judge } from "../kit/test/judge.ts";
import { inTurns } from "./support/matrix.ts";

const databases = await everyDatabase();

/** Here with all features at once; projects with some of them keep it, too (`tool/test/contract.matrix.test.ts`). */
const pairs = inTurns(databases);

describe("the contract is kept", { concurrency: 4 }, () => {
  for (const { framework, kind, newDatabase } of pairs)
    judge(
      `by ${framework} on ${kind}`,
      async () => ({ FRAMEWORK: framework, DATABASE_URL: await newDatabase() }),
      false,
    );
});
