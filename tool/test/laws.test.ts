import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { databases, type Feature, features, frameworks, type Written } from "../src/request.ts";
import { cut } from "../src/slice/cut.ts";
import type { Files } from "../src/slice/slice.ts";
import { backend, run as execute, project, repository, writeOut } from "./support.ts";

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

type Asked = Written & { framework: string; database: string };

/** In every framework: each database, each feature alone, all of them, and fields of every kind. These run. */
const run: Asked[] = [
  ...frameworks.flatMap((framework) => [
    { framework, database: "both" },
    { framework, database: "sqlite", features: ["auth"] },
    { framework, database: "postgres", features: ["cors"] },
    { framework, database: "both", features: ["cors", "auth"], fields: allFields },
  ]),
  { framework: "hono", database: "both", fields: oddFields },
  { framework: "nest", database: "sqlite", fields: allFields },
  { framework: "koa", database: "postgres", fields: ["live:boolean"] },
  { framework: "express", database: "sqlite", fields: ["at:timestamp?"] },
];

/** These differ from those in what is cut, and not in what runs: they are checked. */
const onlyChecked: Asked[] = frameworks.flatMap((framework) => [
  { framework, database: "sqlite" },
  { framework, database: "postgres" },
  ...features.map((feature) => ({ framework, database: "both", features: [feature] })),
]);

const requests = [...run, ...onlyChecked];

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

  test("that asks for everything has the backend's own bytes", () => {
    for (const framework of frameworks) {
      const files = project({ name: "backend", framework, database: "both", features: [...features] });
      const framed = new Set(["src/app.ts", "src/config.ts"]);
      for (const [path, text] of files)
        if (path.endsWith(".ts") && !framed.has(path)) assert.equal(text, backend.files.get(path), path);
      assert.equal(
        files.get("src/app.ts")?.replaceAll('from "./', 'from "../'),
        backend.files.get(`src/frameworks/${framework}.ts`),
      );
      const config = backend.files.get("src/config.ts")?.split("\n") ?? [];
      assert.equal(files.get("src/config.ts"), config.filter((line) => !/frameworks?\b/.test(line)).join("\n"));
      assert.equal(files.get("openapi.json"), readFileSync(join(repository, "backend/openapi.json"), "utf8"));
    }
  });

  test("has every file of a feature that was asked for, and none of one that was not", () => {
    for (const { features: asked = [], ...request } of requests) {
      const kept = [...project({ ...request, features: asked }).keys()];
      const all = [...backend.files.keys()];
      for (const feature of features) {
        const own = new RegExp(`^(src/features|test/conformance)/${feature}/|^test/${feature}\\.test\\.ts$`);
        const expected = asked.includes(feature) ? all.filter((path) => own.test(path)) : [];
        assert.deepEqual(kept.filter((path) => own.test(path)).sort(), expected.sort());
      }
    }
  });

  test("without features has nothing on top: no variable, no package, no file of secrets", () => {
    for (const framework of frameworks) {
      const [without, withAll] = [[], [...features]].map((features) => project({ framework, features }));
      const dependencies = (files?: Files) => JSON.parse(files?.get("package.json") ?? "");
      assert.deepEqual(dependencies(without), dependencies(withAll));
      assert.deepEqual(
        without?.get(".env.example")?.split("\n"),
        withAll
          ?.get(".env.example")
          ?.split("\n")
          .filter((line) => !/^(API|CORS)_|tokens|origins/i.test(line)),
      );
    }
  });

  test("has no line that the backend does not have, but for what is printed", () => {
    for (const request of requests)
      for (const [path, text] of project(request))
        if (!printed.has(path))
          for (const line of text.split("\n")) assert.ok(lines.has(withoutFolder(line)), `${path}: ${line}`);
  });

  test("says nothing of other frameworks, databases or features, nor of the tool", () => {
    for (const request of requests) {
      const others = frameworks.filter(
        (name) => name !== request.framework && !(request.framework === "nest" && name === "express"),
      );
      const unasked = features.filter((feature) => !request.features?.includes(feature));
      const words = [
        ...others,
        ...(request.database === "sqlite" ? ["postgres"] : []),
        ...unasked.flatMap((feature) => wordsOf[feature]),
      ];
      for (const [path, text] of project(request)) {
        if (path === "dory.json") continue;
        const said = new RegExp(`\\b(${[...words, "dory"].join("|")})\\b`, "i").exec(text);
        assert.equal(said?.[0], undefined, `${titleOf(request)}, ${path}`);
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
    test(titleOf(request), async () => {
      const folder = writeOut(project(request));
      await execute(folder, "npm", "run", "check");
      if (run.includes(request)) assert.match(await execute(folder, "npm", "test"), /^ℹ fail 0$/m);
    });
});

const wordsOf: Record<Feature, string[]> = {
  auth: ["auth", "API_TOKENS", "apiTokens", "tokens", "bearer", "authenticate", "401", "unauthorized"],
  cors: [
    "cors",
    "CORS_ORIGINS",
    "corsOrigins",
    "origins",
    "allowOrigin",
    "preflight",
    "Access-Control-[\\w-]+",
    "Vary",
  ],
};

function titleOf({ framework, database, fields, features }: Written): string {
  const withFields = fields ? `, with ${fields.length} other fields` : "";
  return `${framework} on ${database}${withFields}${features ? `, with ${features.join(" and ")}` : ""}`;
}

function withoutFolder(line: string): string {
  return line.replace(/from "\.\.?\/(store\/)?[\w/-]+\.ts"/, "from a file");
}
