import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Backend } from "../../backend/kit/test/backend.ts";
import { isInThisRun } from "../../backend/test/support/matrix.ts";
import { type Answer, collectAnswers, comparable } from "./ecosystem/compare.ts";
import { type Ask, type Ecosystem, lists, toAsk, toPath } from "./ecosystem/ecosystem.ts";
import { printSection, withSection } from "./ecosystem/page.ts";
import { makeProject, startPlain, startProject } from "./ecosystem/worlds.ts";
import { build, repository } from "./support.ts";

const page = join(repository, "docs/ecosystem.md");
/** To try some of the packages only; the page is then left alone. */
const only = new RegExp(process.env["PACKAGES"] ?? "");
const rewrite = "UPDATE_ECOSYSTEM=yes npm run test:all -- tool/test/ecosystem.matrix.test.ts";

describe("packages work in a project as on plain Node", { concurrency: 2 }, () => {
  for (const list of lists.filter(() => isInThisRun(false)))
    describe(`with ${list}`, { concurrency: 1, timeout: 900_000 }, () => compareIn(list));
});

async function compareIn(framework: string): Promise<void> {
  const { ecosystem }: { ecosystem: Ecosystem } = await import(`./ecosystem/${framework}.ts`);
  const packages = ecosystem.packages.filter(({ name }) => only.test(name));
  const same = new Set<string>();
  let folder: string;
  let noPackages: string | undefined;
  let plain: Backend;
  let inProject: Backend;

  before(async () => {
    folder = await makeProject(framework, ecosystem, packages).catch((error: Error) => {
      if (!/network|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(error.message)) throw error;
      noPackages = `npm cannot install the packages: ${error.message}`;
      return "";
    });
    if (noPackages) return;
    await build(folder);
    plain = await startPlain(folder, ecosystem);
    inProject = await startProject(folder);
  });
  after(() => {
    plain?.[Symbol.dispose]();
    inProject?.[Symbol.dispose]();
  });

  for (const one of packages)
    test(`${one.name} in ${framework}`, async (t) => {
      if (noPackages) return t.skip(noPackages);
      // One package that ends the server does not fail the others.
      if (inProject.process.exitCode !== null) inProject = await startProject(folder);
      const [left, right] = await Promise.all([
        collectAnswers(plain.url, one),
        collectAnswers(inProject.url, one, { isProject: true }),
      ]);
      const asks = one.requests.map(toAsk);
      const pairs = asks.map((ask, index) =>
        comparable(left[index] ?? assert.fail(), right[index] ?? assert.fail(), ask),
      );
      assert.deepEqual(
        pairs.map(({ inProject }, index) => ({ request: asks[index], ...inProject })),
        pairs.map(({ plain }, index) => ({ request: asks[index], ...plain })),
      );
      // A failure of both shows nothing.
      const failed = left.filter((answer, index) => !isMeant(answer, asks[index] ?? {}));
      assert.deepEqual(failed, []);
      assert.equal(
        (await fetch(`${inProject.url}/health`, { signal: AbortSignal.timeout(10_000) })).status,
        200,
        inProject.logged.slice(-3).join("\n"),
      );
      same.add(one.name);
    });

  test(`an open WebSocket does not hold up a stop in ${framework}`, async (t) => {
    if (noPackages) return t.skip(noPackages);
    for (const one of packages) {
      const ask = one.requests.find((request): request is Ask => typeof request === "object" && !!request.socket);
      if (!ask) continue;
      const socket = new WebSocket(`${inProject.url.replace("http", "ws")}/${toPath(one)}${ask.path ?? ""}`);
      await once(socket, "open");
      const closed = once(socket, "close");
      assert.equal(await inProject.stop(), 0, inProject.logged.slice(-3).join("\n"));
      await closed;
      inProject = await startProject(folder);
    }
  });

  test(`docs/ecosystem.md says so of ${framework}`, (t) => {
    if (noPackages) return t.skip(noPackages);
    if (only.source !== "(?:)") return t.skip("only some of the packages were tried");
    const text = existsSync(page) ? readFileSync(page, "utf8") : "";
    const expected = withSection(text, framework, printSection(framework, ecosystem, same));
    if (process.env["UPDATE_ECOSYSTEM"]) writeFileSync(page, expected);
    else assert.ok(text === expected, `docs/ecosystem.md differs from what was found. To rewrite it: ${rewrite}`);
  });
}

function isMeant({ status }: Answer, { here, status: expected = here?.status }: Ask): boolean {
  return expected === undefined ? status > 0 && status < 500 : status === expected;
}
