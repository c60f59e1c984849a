import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { earlier, frameworks, isInThisRun, isOfEachKind, isWholeMatrix } from "../../../backend/test/support/matrix.ts";
import { conflictFault } from "../../src/change/report.ts";
import type { Files } from "../../src/new/slice/slice.ts";
import { describe as describeProject } from "../openapi/describe.ts";
import { addMount, edit, followReadme } from "../owner/project.ts";
import { buildWithoutPackages, run, sharePackages } from "../support.ts";
import { made, Owner } from "./owner.ts";
import { madeBy } from "./versions.ts";

/** In the whole matrix all of them, because only there their checks run. */
const projects = madeBy("0.1.0").filter(
  ({ input: { framework } }) =>
    frameworks.some((name) => name === framework) && (isWholeMatrix || isInThisRun(framework === "hono")),
);

describe("a project of 0.1.0 is updated", { concurrency: 2 }, () => {
  for (const { input, files } of projects) {
    const { framework = "", features = [] } = input;
    const kind = features.length > 0 ? "with all features" : "without features";
    test(`in ${framework}, ${kind}`, async () => {
      const owner = await createOwner(files);
      const { merged, notes } = await owner.update();
      assert.deepEqual(merged.conflict?.paths ?? [], []);
      assert.deepEqual(notes, []);
      const updated = await owner.files();
      for (const path of made(input).keys()) assert.ok(updated.has(path), path);
      // The copied resource uses what has no successor in new projects.
      const own = ["src/fields/text.ts", ...withoutSuccessor(framework, features.length > 0)];
      for (const path of files.keys())
        assert.ok(updated.has(path) === (made(input).has(path) || own.includes(path)), path);
      assert.match(updated.get("README.md") ?? "", /^# Our shop\n\nIt sells boats\.\n\n## Start\n/);
      assert.match(updated.get("test/ours.test.ts") ?? "", /^import \{ openApp \} from "\.\.\/dory\.ts";$/m);
      assert.equal(updated.get("openapi/ours.md"), "Ours.\n");
      if (isWholeMatrix) await passesItsChecks(owner, framework);
    });
  }
});

test("a field that the owner added to a project of 0.1.0 is a conflict that says how fields are written now", {
  skip: earlier,
}, async () => {
  const { files } = madeBy("0.1.0").find(({ input }) => input.framework === "hono") ?? assert.fail();
  const owner = await Owner.ofFiles(files);
  await owner.edit("src/items/item.ts", (text) =>
    text
      .replace(/^\}\);$/m, "  note: v.optional(text),\n});")
      .replace('    name: "text NOT NULL",\n', (line) => `${line}    note: "text",\n`),
  );
  const change = await owner.update();
  assert.deepEqual(change.merged.conflict?.paths, ["src/items/item.ts"]);
  const { message } = conflictFault(change);
  assert.match(
    message,
    /^In src\/items\/item\.ts, a field is one line, like price: optional\(number\(\{ min: 0 \}\)\): /m,
  );
  const text = owner.read("src/items/item.ts");
  assert.match(text, /^<<<<<<< [\s\S]*note: v\.optional\(text\)[\s\S]*^=======$[\s\S]*name: string\([\s\S]*^>>>>>>> /m);
});

test("a setting that the owner added to a project of 0.1.0 is a conflict that says where it belongs now", {
  skip: earlier,
}, async () => {
  const { files } = madeBy("0.1.0").find(({ input }) => input.framework === "hono") ?? assert.fail();
  const owner = await Owner.ofFiles(files);
  await owner.edit("src/config.ts", (text) => text.replace(/^ {2}\};$/m, '    shop: read("SHOP", "", String),\n$&'));
  await owner.write("src/ours.ts", 'export { Problem as Kept, problemOf as lost } from "./problem.ts";\n');
  const change = await owner.update();
  assert.deepEqual(change.merged.conflict?.paths, ["src/config.ts"]);
  const { message } = conflictFault(change);
  assert.match(message, /^In src\/config\.ts, take Dory's side and put your own settings below `\.\.\.coreSettings\(/m);
  assert.deepEqual(change.notes, ["src/ours.ts imports problemOf of src/core/problem.ts, which no longer has it."]);
});

function withoutSuccessor(framework: string, hasItemRoutes: boolean): string[] {
  const own: Record<string, string[]> = {
    elysia: ["src/json.ts"],
    nest: ["src/params.ts", ...(hasItemRoutes ? interceptors : [])],
  };
  return own[framework] ?? [];
}

const interceptors = ["src/item-routes/answer.interceptor.ts", "src/item-routes/created.interceptor.ts"];

/** An owner who has followed the README, and has written and changed what owners do. */
async function createOwner(files: Files): Promise<Owner> {
  const owner = await Owner.ofFiles(files);
  const { folder } = owner;
  await followReadme(folder);
  addMount(folder, ['import "./ours/visits.ts";']);
  edit(join(folder, "README.md"), (text) => text.replace(/^[\s\S]*?(?=## )/, "# Our shop\n\nIt sells boats.\n\n"));
  await owner.write("src/ours/visits.ts", visits);
  await owner.write("test/ours.test.ts", ownTest);
  await owner.write("openapi/ours.md", "Ours.\n");
  await owner.edit("src/log.ts", (text) => `// Ours.\n${text}`);
  await owner.edit("src/items/item.ts", (text) => `${text}\n/** Ours. */\nexport const most = 10;\n`);
  return owner;
}

/** A file of the owner that uses the core. */
const visits = `import { integer } from "../environment.ts";
import type { Page } from "../input.ts";
import { NewItem } from "../items/item.ts";
import { log } from "../log.ts";
import type { AppListener, Parts } from "../parts.ts";
import { Problem } from "../problem.ts";
import { StartError } from "../start-error.ts";
import { validate } from "../validation.ts";

export function refuseVisits({ config }: Parts, { routes }: AppListener, page: Page): never {
  log("info", "refused", { port: config.port, routes: routes.length, page });
  throw new Problem("bad_request", "No visits.");
}

export const readVisits = (text: string | undefined) => {
  if (text === undefined) throw new StartError("VISITS is required");
  return integer(1)(text);
};

export const validateVisit = (visit: unknown) => validate(NewItem, visit);
`;

/** A test of the owner, which uses what tests of 0.1.0 used. */
const ownTest = `import assert from "node:assert/strict";
import { test } from "node:test";
import { createApp } from "../src/app.ts";
import { openApp } from "./support/app.ts";

test("our app is created", async () => {
  assert.ok(await openApp(createApp));
});
`;

/** Format, lint, types and, in two frameworks, tests, with the packages of this repository. */
async function passesItsChecks(owner: Owner, framework: string): Promise<void> {
  const { folder } = owner;
  sharePackages(folder);
  await run(folder, "biome", "check", "--write", ".");
  if (framework === "nest") await buildWithoutPackages(folder);
  writeFileSync(join(folder, "openapi.json"), (await describeProject(folder)).text);
  await run(folder, "npm", "run", "check");
  if (isOfEachKind(framework)) assert.match(await run(folder, "npm", "test"), /^ℹ fail 0$/m);
}
