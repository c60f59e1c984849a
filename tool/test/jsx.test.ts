import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { writeFiles } from "../src/new/write.ts";
import { addMount, edit } from "./owner/project.ts";
import { project, run, writeOut } from "./support.ts";

test("a project has pages in JSX: they are checked, tested, and in openapi.json", { timeout: 120_000 }, async () => {
  const folder = writeOut(project({ framework: "hono" }));
  writeFiles(folder, [
    [
      "src/pages/routes.tsx",
      `import { Hono } from "hono";
import { Page } from "./page.tsx";

export const pages = new Hono().get("/", (c) => c.html(<Page title="Boats" />));
`,
    ],
    ["src/pages/page.tsx", "export const Page = ({ title }: { title: string }) => <h1>{title}</h1>;\n"],
    [
      "test/pages.test.ts",
      `import assert from "node:assert/strict";
import { test } from "node:test";
import { openApp } from "../dory.ts";
import { createApp } from "../src/app.ts";

test("has a page", async () => {
  const app = await openApp(createApp);
  assert.equal(await (await app.request("/pages")).text(), "<h1>Boats</h1>");
});
`,
    ],
  ]);
  addMount(folder, ['import { pages } from "./pages/routes.tsx";', '      .route("/pages", pages)']);
  edit(join(folder, "tsconfig.json"), (text) =>
    text.replace('"compilerOptions": {', '$& "jsx": "react-jsx", "jsxImportSource": "hono/jsx",'),
  );
  await run(folder, "tsc");
  await run(folder, "node", "dory.ts", "openapi");
  const { paths } = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
  assert.ok(paths["/pages"].get);
  await run(folder, "node", "dory.ts", "test", "test/pages.test.ts");
});
