import { describe } from "node:test";
import { everyDatabase } from "./databases.ts";
import { judge, judgeUrl } from "./judge.ts";

const url = process.env["BASE_URL"];

if (url) describe(`the backend at ${url}`, () => judgeUrl(() => url));
else
  for (const [kind, newDatabase] of await everyDatabase())
    judge(`the backend on ${kind}`, async () => ({ DATABASE_URL: await newDatabase() }));
