import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { databases, type Feature, features, frameworks } from "../src/new/request.ts";
import { cut } from "../src/new/slice/cut.ts";
import type { Files } from "../src/new/slice/slice.ts";
import { requests, titleOf } from "./requests.ts";
import { backend, project, repository } from "./support.ts";

const projects = requests.map((request) => ({ request, files: project(request) }));

describe("a slice", () => {
  const printed = new Set([
    "src/items/item.ts",
    "openapi.json",
    "package.json",
    "tsconfig.json",
    "biome.json",
    ".env.example",
    "AGENTS.md",
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

  test("that asks for everything has the backend's own bytes, those of a moved file in the order of its imports", () => {
    for (const framework of frameworks) {
      const files = project({ name: "backend", framework, database: "both", features: [...features] });
      // These have lines of this repository alone: the choice of a framework, and what only one of them needs.
      const framed = new Set(["src/config.ts", "build.ts"]);
      for (const [path, text] of files) {
        if (!path.endsWith(".ts") || framed.has(path)) continue;
        const moved = backend.files.get(path.replace(/^src\//, `src/frameworks/${framework}/`));
        if (moved === undefined || !path.startsWith("src/")) assert.equal(text, backend.files.get(path), path);
        else assert.deepEqual(linesOf(text), linesOf(moved), path);
      }
      const config = backend.files.get("src/config.ts")?.split("\n") ?? [];
      assert.equal(files.get("src/config.ts"), config.filter((line) => !/frameworks?\b/.test(line)).join("\n"));
      assert.equal(files.get("openapi.json"), readFileSync(join(repository, "backend/openapi.json"), "utf8"));
    }
  });

  test("has every file of a feature that was asked for, and none of one that was not", () => {
    for (const { request, files } of projects) {
      const kept = [...files.keys()];
      const asked = request.features ?? [];
      const all = [...backend.files.keys()];
      for (const feature of features) {
        const own = new RegExp(
          `^(src/features|test/conformance)/${feature}/|^(openapi/features|test)/${feature}(\\.test)?\\.ts$`,
        );
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
    for (const { files } of projects)
      for (const [path, text] of files)
        if (!printed.has(path))
          for (const line of text.split("\n")) assert.ok(lines.has(withoutFolder(line)), `${path}: ${line}`);
  });

  test("says nothing of other frameworks, databases or features, nor of the tool", () => {
    for (const { request, files } of projects) {
      const others = frameworks.filter(
        (name) => name !== request.framework && !(request.framework === "nest" && name === "express"),
      );
      const unasked = features.filter((feature) => !request.features?.includes(feature));
      const words = [
        ...others,
        ...(request.database === "sqlite" ? ["postgres"] : []),
        ...unasked.flatMap((feature) => wordsOf[feature]),
      ];
      for (const [path, text] of files) {
        if (path === "dory.json") continue;
        const said = new RegExp(`\\b(${[...words, "dory"].join("|")})\\b`, "i").exec(text);
        assert.equal(said?.[0], undefined, `${titleOf(request)}, ${path}`);
      }
    }
  });

  test("is small: at most 2,000 lines of source with one database, 2,100 with both", () => {
    for (const framework of frameworks)
      for (const database of databases) {
        const source = [...project({ framework, database })].filter(([path]) => path.startsWith("src/"));
        const lines = source.reduce((sum, [, text]) => sum + text.split("\n").length - 1, 0);
        assert.ok(lines <= (database === "both" ? 2100 : 2000), `${framework} on ${database}: ${lines} lines`);
      }
  });

  test("is made again from its dory.json", () => {
    for (const { files } of projects) assert.deepEqual(project(JSON.parse(files.get("dory.json") ?? "")), files);
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

function withoutFolder(line: string): string {
  return line.replace(/from "\.[\w./-]+\.ts"/, "from a file");
}

/** The lines of a file that may have moved, whatever the order of its imports. */
function linesOf(text: string): string[] {
  return text.split("\n").map(withoutFolder).sort();
}
