import { describe } from "node:test";
import { frameworks, isInThisRun, isWholeMatrix } from "../../backend/test/support/matrix.ts";
import { type Asked, combined, oneForEach, printTitle } from "./requests.ts";
import { buildWithoutPackages, loadKit, project, writeOut } from "./support.ts";

// In `npm test`, `frameworks.matrix.test.ts` has every framework, and `owner.matrix.test.ts` other projects.
const isInNpmTest = ({ framework }: Asked) => framework === "koa";
const hasMore = ({ database }: Asked) => isWholeMatrix && database === "both";
const requests = [
  ...oneForEach.filter((request) => isInThisRun(isInNpmTest(request)) || hasMore(request)),
  ...(isWholeMatrix ? combined : []),
].filter(({ framework }) => (frameworks as string[]).includes(framework));
// Each project's own support cleans up at the end of the process.
process.setMaxListeners(requests.length + 10);

/** The projects, each with its own suite. */
const projects = await Promise.all(
  requests.map(async (request) => {
    const folder = writeOut(project(request));
    await buildWithoutPackages(folder);
    const { everyDatabase, judge } = await loadKit(folder);
    const databases = [...(await everyDatabase())];
    const isChosen = (index: number) =>
      combined.includes(request) || isInThisRun(isInNpmTest(request) && index === databases.length - 1);
    return { title: printTitle(request), databases: databases.filter((_, index) => isChosen(index)), judge };
  }),
);

describe("a generated project meets its contract", { concurrency: 4 }, () => {
  for (const { title, databases, judge } of projects)
    for (const [kind, newDatabase] of databases)
      judge(`${title}: ${kind}`, async () => ({ DATABASE_URL: await newDatabase() }), false);
});
