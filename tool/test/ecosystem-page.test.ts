import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Ecosystem, lists } from "./ecosystem/ecosystem.ts";
import { printSection, withSection } from "./ecosystem/page.ts";
import { repository } from "./support.ts";

/** `ecosystem.matrix.test.ts` tries them, which takes minutes; a row that was added or changed is found here. */
for (const framework of lists)
  test(`docs/ecosystem.md lists the packages that are tried in ${framework}`, async () => {
    const { ecosystem }: { ecosystem: Ecosystem } = await import(`./ecosystem/${framework}.ts`);
    const page = readFileSync(join(repository, "docs/ecosystem.md"), "utf8");
    const all = new Set(ecosystem.packages.map(({ name }) => name));
    assert.equal(page, withSection(page, framework, printSection(framework, ecosystem, all)));
  });
