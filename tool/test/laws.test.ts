import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { databases, frameworks } from "../src/request.ts";
import { cut } from "../src/slice/cut.ts";
import { backend, project, run, writeOut } from "./support.ts";

const allFields = [
  "name:string(1..200)",
  "price:number?",
  "count:integer(min=0)",
  "live:boolean",
  "due:timestamp",
  "kind:enum(a|b|c)",
  "tags:string[]",
];

const oddFields = [
  "order:integer?",
  "group:string(..5)?",
  "select:enum(x|y)?",
  "constructor:string[]?",
  "toString:number(min=-1.5,max=2.5)",
  "rowid:string",
  "isOn:boolean?",
  "aVeryLongNameForAFieldThatBreaksItsLine:string(100..10000)?",
  "size:enum(extra-small|small|medium|large|extra-large|double-extra-large|triple-extra-large|one-size-fits-all)",
];

/** Every framework, every database, and fields of every kind. */
const requests = [
  ...frameworks.flatMap((framework) => databases.map((database) => ({ framework, database }))),
  ...frameworks.map((framework) => ({ framework, database: "both", fields: allFields })),
  { framework: "hono", database: "both", fields: oddFields },
  { framework: "koa", database: "postgres", fields: ["live:boolean"] },
  { framework: "express", database: "sqlite", fields: ["at:timestamp?"] },
];

describe("a slice", () => {
  const printed = new Set([
    "src/item.ts",
    "openapi.json",
    "package.json",
    "tsconfig.json",
    "biome.json",
    ".env.example",
    "README.md",
    "dory.json",
  ]);
  const lines = new Set([...backend.files.values()].flatMap((text) => text.split("\n")).map(withoutFolder));

  test("from which nothing is cut has the backend's own bytes", () => {
    for (const [path, text] of backend.files)
      if (path.endsWith(".ts"))
        assert.equal(
          cut(path, text, () => false),
          text,
        );
  });

  test("has no line that the backend does not have, but for what is printed", () => {
    for (const request of requests)
      for (const [path, text] of project(request))
        if (!printed.has(path))
          for (const line of text.split("\n")) assert.ok(lines.has(withoutFolder(line)), `${path}: ${line}`);
  });

  test("says nothing of other frameworks or databases, nor of the tool", () => {
    for (const request of requests) {
      const others = frameworks.filter(
        (name) => name !== request.framework && !(request.framework === "nest" && name === "express"),
      );
      const words = [...others, ...(request.database === "sqlite" ? ["postgres"] : [])];
      for (const [path, text] of project(request)) {
        if (path === "dory.json") continue;
        const said = new RegExp(`\\b(${[...words, "dory"].join("|")})\\b`, "i").exec(text);
        assert.equal(said?.[0], undefined, `${request.framework} on ${request.database}, ${path}`);
      }
    }
  });

  test("is small: at most 800 lines of source with one database, 950 with both", () => {
    for (const framework of frameworks)
      for (const database of databases) {
        const source = [...project({ framework, database })].filter(([path]) => path.startsWith("src/"));
        const lines = source.reduce((sum, [, text]) => sum + text.split("\n").length - 1, 0);
        assert.ok(lines <= (database === "both" ? 950 : 800), `${framework} on ${database}: ${lines} lines`);
      }
  });

  test("is made again from its dory.json", () => {
    for (const request of requests) {
      const files = project(request);
      assert.deepEqual(project(JSON.parse(files.get("dory.json") ?? "")), files);
    }
  });
});

describe("a generated project is formatted, linted and type-checked, and keeps its contract", {
  concurrency: 3,
}, () => {
  for (const request of requests)
    test(`${request.framework} on ${request.database}${"fields" in request ? `, with ${request.fields.length} other fields` : ""}`, async () => {
      const folder = writeOut(project(request));
      await run(folder, "npm", "run", "check");
      assert.match(await run(folder, "npm", "test"), /^ℹ fail 0$/m);
    });
});

function withoutFolder(line: string): string {
  return line.replace(/from "\.\.?\/(store\/)?[\w/-]+\.ts"/, "from a file");
}
