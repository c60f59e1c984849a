import { describe } from "node:test";
import { everyDatabase } from "./support/databases.ts";
import { judge } from "./support/judge.ts";
import { inTurns } from "./support/matrix.ts";

const databases = await everyDatabase();

describe("the contract is kept", { concurrency: 4 }, () => {
  for (const { framework, kind, newDatabase } of inTurns(databases))
    judge(`by ${framework} on ${kind}`, async () => ({ FRAMEWORK: framework, DATABASE_URL: await newDatabase() }));
});
