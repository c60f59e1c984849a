import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { kitFile } from "../src/kit.ts";
import { corsHint } from "../src/new/print/readme.ts";
import {
  type Feature,
  features,
  frameworks,
  type RequestInput,
  type Source,
  simpleFeatures,
  sources,
} from "../src/new/request.ts";
import { cut } from "../src/new/slice/cut.ts";
import type { Files } from "../src/new/slice/slice.ts";
import { printTitle, requests } from "./requests.ts";
import { backend, migrationKinds, project, repository } from "./support.ts";

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
    "src/core/README.md",
    "dory.json",
    kitFile,
  ]);
  const lines = new Set([...backend.files.values()].flatMap((text) => text.split("\n")).map(withoutFolder));

  const lists = [...lines].map(listIn).filter((list) => list !== undefined);
  /** Whether the backend has a longer list here, imports more names, or takes more from a parameter. */
  const isShortened = (line: string) => {
    const found = listIn(line);
    return found !== undefined && lists.some((list) => isPart(found, list));
  };

  test("has nothing that is kept for older projects", () => {
    for (const { request, files } of projects)
      for (const [path, text] of files)
        if (path.endsWith(".ts"))
          assert.doesNotMatch(text, /@deprecated|\b0\.1\.0\b/, `${printTitle(request)}: ${path}`);
  });

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
      const all = { features: [...simpleFeatures], webhooks: [...sources] };
      const ruled = ["orders: sku:string(1..50) unique, itemId:ref(items)"];
      const asked = { name: "backend", framework, database: "both", ...all };
      const application = project({ name: "shop", services: [{ ...asked, resources: ruled }] });
      const files = filesBelow("backend/", application);
      // These have lines that only this repository or one framework needs, like the choice of a framework.
      const framed = new Set(["src/config.ts", "src/main.ts"]);
      for (const [path, given] of files) {
        const text = given.replace(`"./core/${framework}/connect.ts"`, '"./core/connect.ts"');
        if (!path.endsWith(".ts") || framed.has(path) || path.startsWith("src/orders/")) continue;
        const [inCore, inFolder] = [`src/core/${framework}/`, /^(src|test)\//];
        const moved = path.startsWith(inCore)
          ? backend.files.get(path.replace(inCore, `src/core/frameworks/${framework}/`))
          : inFolder.test(path) && backend.files.get(path.replace(inFolder, `$1/frameworks/${framework}/`));
        const origin = moved || backend.files.get(path) || "";
        if (isTrimmed(path)) assertContains(origin, text, path);
        else if (!moved) assert.equal(text, origin, path);
        else assert.deepEqual(sortLines(text.replaceAll(/^.*[oO]rders?(?!Of).*\n/gm, "")), sortLines(moved), path);
      }
      const config = backend.files.get("src/config.ts")?.replace("oneOf, ", "").split("\n") ?? [];
      assert.equal(files.get("src/config.ts"), config.filter((line) => !/frameworks?\b/.test(line)).join("\n"));
      const document = project(asked).get("openapi.json");
      assert.equal(document, readFileSync(join(repository, "backend/openapi.json"), "utf8"));
    }
  });

  test("loads what connects the framework before the app only where that changes routers", () => {
    const main = backend.files.get("src/main.ts") ?? "";
    const first = /^\/\/.*\nimport "\.\/core\/connect\.ts";\n\n/;
    assert.match(main, first);
    for (const framework of frameworks) {
      const files = project({ framework, features: [...simpleFeatures], webhooks: [...sources] });
      const connection = files.get(`src/core/${framework}/connect.ts`) ?? "";
      const isFirst = /`src\/main\.ts` imports this before the app/.test(connection);
      const text = files.get("src/main.ts")?.replaceAll(`./core/${framework}/connect.ts`, "./core/connect.ts");
      assert.equal(text, isFirst ? main : main.replace(first, ""), framework);
    }
  });

  test("exports nothing that neither its code nor the code in its documentation uses", () => {
    for (const { request, files } of projects) {
      const texts = [...files].filter(([path]) => path.endsWith(".md")).map(([, text]) => text);
      // Members of objects aside: they may have the same name.
      const docs = texts.map((text) =>
        (text.match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []).join("\n").replaceAll(/\w+\??:/g, ""),
      );
      for (const [path, text] of files) {
        if (!isTrimmed(path) || !path.endsWith(".ts")) continue;
        const others = [...files].filter(([other]) => other !== path && other.endsWith(".ts")).map(([, own]) => own);
        // Its own code counts, but not the comments in it. What is deprecated is for code of earlier versions.
        const all = [
          ...docs,
          ...others,
          text.replaceAll(/^export \S+ (async )?(function )?\w+|\/\*\*[\s\S]*?\*\//gm, ""),
        ];
        for (const [, name] of text.matchAll(/^export (?:async )?(?:const|function|class|interface|type) (\w+)/gm))
          assert.ok(
            new RegExp(`@deprecated .*\\nexport \\w+ ${name}\\b`).test(text) ||
              all.some((one) => new RegExp(`\\b${name}\\b`).test(one)),
            `${printTitle(request)}, ${path}: ${name}`,
          );
      }
    }
  });

  test("has every file of a feature that was asked for, and none of one that was not", () => {
    for (const { request, files } of projects) {
      const kept = [...files.keys()];
      const asked = askedIn(request);
      const all = [...backend.files.keys()];
      for (const feature of features) {
        const own = new RegExp(`^(src/core/features|src/core/${request.framework}|src)/${feature}/`);
        const inProject = all.map((path) => toPlace(path, request.framework));
        const expected = asked.includes(feature) ? inProject.filter((path) => own.test(path)) : [];
        assert.deepEqual(
          kept.filter((path) => own.test(path)).sort(),
          expected.filter((path) => !isOfOther(path, request)).sort(),
        );
      }
    }
  });

  test("without features has no extra variable, package or file of secrets", () => {
    for (const framework of frameworks) {
      const without = project({ framework });
      const withAll = project({ framework, features: [...simpleFeatures], webhooks: [...sources] });
      const readPackage = (files: Files) => JSON.parse(files.get("package.json") ?? "");
      const { prewebhooks, webhooks, ...scripts } = readPackage(withAll).scripts;
      assert.ok(prewebhooks && webhooks);
      // Nest depends on it, and its interceptors use it.
      const { rxjs, ...dependencies } = readPackage(withAll).dependencies;
      assert.equal(rxjs !== undefined, framework === "nest");
      assert.deepEqual(readPackage(without), { ...readPackage(withAll), scripts, dependencies });
      assert.equal(without.get("Dockerfile"), withAll.get("Dockerfile"));
      assert.deepEqual(
        without.get(".env.example")?.split("\n"),
        withAll
          .get(".env.example")
          ?.split("\n")
          .filter((line) => !/^(# )?(API|CORS|WEBHOOK)_|tokens|origins|^# Secrets of /i.test(line)),
      );
    }
  });

  test("has no line that the backend does not have, except for printed files", () => {
    for (const { request, files } of projects)
      for (const [path, text] of files)
        if (!printed.has(path) && !isOfResource(path, request) && !(request.resources && isMounts(path)))
          for (const line of text.split("\n"))
            assert.ok(lines.has(withoutFolder(line)) || isShortened(line), `${path}: ${line}`);
  });

  test("with another resource has a copy of the items' files, and is otherwise the same", () => {
    for (const framework of frameworks) {
      const resources = ["order-lines: name:string(1..200)"];
      const [without, files] = [project({ framework }), project({ framework, resources })];
      const copies = [...files.keys()].filter((path) => path.startsWith("src/order-lines/"));
      assert.deepEqual(copies.map(asItem), [...without.keys()].filter((path) => path.startsWith("src/items/")).sort());
      for (const path of copies)
        assert.deepEqual(sortLines(asItem(files.get(path) ?? "")), sortLines(without.get(asItem(path)) ?? ""), path);
      const isOwn = (line: string) => !/order-?line/i.test(line);
      for (const [path, text] of without)
        if (isMounts(path)) assert.equal(files.get(path)?.split("\n").filter(isOwn).join("\n"), text);
        else if (!printed.has(path)) assert.equal(files.get(path), text, path);
    }
  });

  test("has the same app.ts whatever was asked for: owners mount their routes there", () => {
    for (const { request, files } of projects)
      for (const path of ["src/app.ts", "src/app.module.ts"])
        assert.equal(files.get(path), project({ framework: request.framework }).get(path));
  });

  test("has the same first line in a file, whatever was asked for: owners write above it", () => {
    const firstLines = new Map<string, string>();
    for (const { request, files } of projects)
      for (const [path, text] of files) {
        if (!path.startsWith("src/")) continue;
        const [line = ""] = text.split("\n");
        const key = `${request.framework}: ${path}`;
        assert.equal(firstLines.get(key) ?? line, line, key);
        firstLines.set(key, line);
      }
  });

  test("mentions no other framework, database or feature, and its code not the tool", () => {
    for (const { request, files } of projects) {
      const others = frameworks.filter(
        (name) => name !== request.framework && !(request.framework === "nest" && name === "express"),
      );
      const asked = askedIn(request);
      const said = asked.flatMap((feature) => featureWords[feature]);
      const unasked = features
        .filter((feature) => !asked.includes(feature))
        .flatMap((feature) => featureWords[feature]);
      const words = [
        ...others,
        ...(request.database === "sqlite" ? ["postgres"] : []),
        ...unasked.filter((word) => !said.includes(word)),
        ...sources.filter((source) => !request.webhooks?.includes(source)).flatMap((source) => wordsOfSource[source]),
      ];
      for (const [path, text] of files) {
        if (path === "dory.json" || path === kitFile) continue;
        const named = path.endsWith(".md") || path === "dory.ts" ? words : [...words, "dory"];
        const said = text.replace(corsHint, "").replace(migrationKinds, "").replaceAll(ofKit, "");
        const found = new RegExp(`\\b(${named.join("|")})\\b`, "i").exec(said);
        assert.equal(found?.[0], undefined, `${printTitle(request)}, ${path}`);
      }
    }
  });

  test("has the stores as they are, whatever was asked for: features add to them", () => {
    for (const { request, files } of projects)
      for (const database of ["sqlite", "postgres"]) {
        const path = `src/core/store/${database}.ts`;
        assert.equal(files.get(path) ?? backend.files.get(path), backend.files.get(path), printTitle(request));
      }
  });

  test("has the same tools, whatever was asked for", () => {
    for (const { request, files } of projects) assert.equal(files.get(kitFile), backend.kit, printTitle(request));
  });

  test("is small: what an owner reads, a core, and one file of tools", () => {
    for (const framework of frameworks) {
      const files = project({ framework });
      const paths = [...files.keys()].filter((path) => path !== kitFile);
      const owned = paths.filter((path) => /^src\/(?!core\/)/.test(path));
      const lines = owned.reduce((sum, path) => sum + (files.get(path) ?? "").split("\n").length - 1, 0);
      // Nest has a file for each class.
      const most = framework === "nest" ? { all: 49, owned: 10, lines: 170 } : { all: 45, owned: 7, lines: 150 };
      assert.ok(
        owned.length <= most.owned && lines <= most.lines,
        `${framework}: ${owned.length} files and ${lines} lines of the owner`,
      );
      assert.ok(paths.length <= most.all, `${framework}: ${paths.length} files`);
      assert.deepEqual(paths.filter((path) => path.startsWith("test/")).sort(), [
        "test/app.test.ts",
        "test/contract.test.ts",
      ]);
    }
  });

  test("names cors only where tokens keep packages from answering preflights", () => {
    for (const { request, files } of projects) {
      const { features = [] } = request;
      const isExpected = features.includes("auth") && !features.includes("cors");
      assert.equal(files.get("README.md")?.includes(corsHint), isExpected, printTitle(request));
    }
  });

  test("is made again from its dory.json", () => {
    for (const { files } of projects) assert.deepEqual(project(JSON.parse(files.get("dory.json") ?? "")), files);
  });
});

/** How files name the tools of a project. */
const ofKit = /\bdory\.ts\b|[#.]dory\b|\bdory-\d[\w.]*\.js\b/g;

const featureWords: Record<Feature, string[]> = {
  auth: [
    "(?<!server\\.)auth",
    "API_TOKENS",
    "apiTokens",
    "tokens",
    "bearer",
    "(?<!WWW-)authenticate",
    "401",
    "unauthorized",
  ],
  cors: ["cors", "CORS_ORIGINS", "corsOrigins", "origins", "allowOrigin", "preflight", "Access-Control-[\\w-]+"],
  "item-routes": ["item-routes", "toEtag", "createEditor", "merge-?patch", "precondition\\w*", "412", "428", "by-?id"],
  webhooks: ["\\w*webhooks?", "inbox", "invalid_signature", "401", "unauthorized"],
};

function filesBelow(folder: string, files: Files): Files {
  const below = [...files].filter(([path]) => path.startsWith(folder));
  return new Map(below.map(([path, text]) => [path.slice(folder.length), text]));
}

/** "Standard" is also part of a library's name. */
const wordsOfSource: Record<Source, string[]> = {
  github: ["github", "GithubEvent", "X-Hub-Signature-256"],
  stripe: ["stripe", "StripeEvent", "Stripe-Signature"],
  standard: ["StandardEvent", "webhook-id", "WEBHOOK_STANDARD_SECRETS", "webhooks/standard"],
  slack: ["slack", "SlackEvent", "X-Slack-Signature", "url_verification"],
};

function askedIn({ features = [], webhooks = [] }: RequestInput): Feature[] {
  return [...(features as Feature[]), ...(webhooks.length > 0 ? (["webhooks"] as const) : [])];
}

/** Whether a feature's file is only for another framework, database or source. */
function isOfOther(path: string, request: RequestInput): boolean {
  const { framework = "", database, webhooks = [] } = request;
  if (path.endsWith("/auth/express.ts")) return framework !== "express" && framework !== "nest";
  if (path.endsWith("/auth/passing.ts")) return framework === "elysia";
  const [, folder, name = ""] = /\/(inbox|sources|senders|store|item-routes)\/(\w+)\.ts$/.exec(path) ?? [];
  if (folder === "item-routes" || (folder === "store" && !/sqlite|postgres/.test(name))) return false;
  if (name === "sqlite" || name === "postgres") return database !== "both" && database !== name;
  return name !== "inbox" && name !== "" && !webhooks.includes(name);
}

function isOfResource(path: string, { resources = [] }: RequestInput): boolean {
  return resources.some((resource) => path.startsWith(`src/${resource.split(":")[0]}/`));
}

/** The names of a copy, replaced by those of its original. */
function asItem(text: string): string {
  return text
    .replace(/order-line/g, "item")
    .replace(/orderLine/g, "item")
    .replace(/OrderLine/g, "Item")
    .replace(/order lines/g, "items");
}

interface List {
  start: string;
  elements: string[];
}

/** A list at the end of a line, and the text before it; or the names in an import, and where they are from. */
function listIn(line: string): List | undefined {
  const [, names, from = ""] = /^import (?:type )?\{ (.+) \} from (.+);$/.exec(withoutFolder(line)) ?? [];
  if (names) return { start: from, elements: names.split(", ").map((name) => name.replace(/^type /, "")) };
  const [, start = "", list = ""] =
    /^(\s*(?:\w+:|const \w+ =) \[)(.*)\][,;]$/.exec(line) ?? /^(\s*async \(\{) (.*) \}\) => \{$/.exec(line) ?? [];
  return start === "" ? undefined : { start, elements: list.split(", ") };
}

const isPart = (one: List, other: List) =>
  one.start === other.start && one.elements.every((element) => other.elements.includes(element));

/** Whether what nothing uses is cut out of a file. */
const isTrimmed = (path: string) => /^src\/core\//.test(path);

/** Checks that a text consists of lines of another, in their order but for imports. */
function assertContains(whole: string, text: string, path: string): void {
  const lines = sortLines(whole);
  const lists = lines.map(listIn).filter((list) => list !== undefined);
  const isShortened = (line: string) => {
    const found = line.startsWith("import ") ? listIn(line) : undefined;
    return found !== undefined && lists.some((list) => isPart(found, list));
  };
  let at = 0;
  for (const line of sortLines(text)) {
    if (isShortened(line)) continue;
    at = lines.indexOf(line, at) + 1;
    assert.ok(at > 0, `${path}: ${line}`);
  }
}

/** The path in a project of a file of its framework. */
function toPlace(path: string, framework = ""): string {
  const inCore = path.replace(`src/core/frameworks/${framework}/`, `src/core/${framework}/`);
  return inCore.replace(`src/frameworks/${framework}/`, "src/");
}

function withoutFolder(line: string): string {
  return line.replace(/"\.[\w./-]+\.ts"/, "a file");
}

/** The lines of a file that may have moved, ignoring the order of its imports and their names. */
function sortLines(text: string): string[] {
  const sorted = (_: string, list: string) => `import { ${list.split(", ").sort().join(", ")} }`;
  const lines = text.split("\n").map((line) => line.replace(/^import \{ (.*) \}/, sorted));
  return lines.map(withoutFolder).sort();
}

/** The file that mounts the resources. */
function isMounts(path: string): boolean {
  return /^src\/(routes|app-routes\.module)\.ts$/.test(path);
}
