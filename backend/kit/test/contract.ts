import { describe } from "node:test";
import { hasFeature } from "../project.ts";
import { everyDatabase } from "./databases.ts";
import { judge, judgeUrl } from "./judge.ts";

/** The tests of each feature. They are loaded only if the project has it. */
const featureTests: Record<string, () => Promise<unknown>> = {
  auth: () => import("./auth.test.ts"),
  cors: () => import("./cors.test.ts"),
  "item-routes": () => import("./item-routes.test.ts"),
  webhooks: () => import("./webhooks.test.ts"),
};

/** Tests what the backend answers, its `openapi.json`, and its features. */
export async function testContract(): Promise<void> {
  const found = Promise.withResolvers<void>();
  // Until then, the file is not over.
  describe("tests of every feature were found", () => found.promise);
  await findTests().finally(found.resolve);
}

async function findTests(): Promise<void> {
  await testAnswers();
  await import("./openapi.test.ts");
  for (const [feature, loadTests] of Object.entries(featureTests)) if (hasFeature(feature)) await loadTests();
}

/** On every database of the project; `BASE_URL` names a backend that runs already. */
async function testAnswers(): Promise<void> {
  const url = process.env["BASE_URL"];
  if (url) describe(`the backend at ${url}`, () => judgeUrl(() => url));
  else
    for (const [kind, newDatabase] of await everyDatabase())
      judge(`the backend on ${kind}`, async () => ({ DATABASE_URL: await newDatabase() }));
}
