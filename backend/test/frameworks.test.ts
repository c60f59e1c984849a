import { describe } from "node:test";
import { frameworks } from "../src/frameworks/names.ts";
import { everyDatabase } from "./support/databases.ts";
import { judge } from "./support/judge.ts";

const databases = await everyDatabase();

describe("the contract is kept", { concurrency: 4 }, () => {
  for (const framework of frameworks)
    for (const [kind, newDatabase] of databases)
      judge(`by ${framework} on ${kind}`, async () => ({ FRAMEWORK: framework, DATABASE_URL: await newDatabase() }));
});
