import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { earlier, later } from "../../backend/test/support/matrix.ts";
import { buildWithoutPackages, project, run, temporaryFolder, writeOut } from "./support.ts";

test("builds that run at the same time never leave an incomplete bundle", { skip: earlier }, async () => {
  const folder = writeOut(project({ framework: "hono", database: "sqlite" }));
  const bundle = join(folder, "dist/main.cjs");
  let isBuilding = true;
  const builds = Promise.all([1, 2, 3].map(() => run(folder, process.execPath, "dory.ts", "build")));
  const watching = (async () => {
    while (isBuilding) {
      if (existsSync(bundle))
        assert.match(readFileSync(bundle, "utf8").slice(-100), /sourceMappingURL=main\.cjs\.map\n$/);
      await sleep(1);
    }
  })();
  await builds.finally(() => {
    isBuilding = false;
  });
  await watching;
  assert.ok(existsSync(bundle));
});

test("an error at startup is not lost behind the line that it was thrown in", { skip: earlier }, async () => {
  const folder = writeOut(project({ framework: "hono", database: "sqlite" }));
  await run(folder, process.execPath, "dory.ts", "build");
  const lines = readFileSync(join(folder, "dist/main.cjs"), "utf8").split("\n");
  // Node prints that line first. What does not fit into the pipe to the log may be lost when the process ends.
  assert.ok(Math.max(...lines.map(({ length }) => length)) < 16_000);
});

test("a class keeps its name in a project with decorators, in a bundle that is minified or not", {
  skip: earlier,
}, async () => {
  const folder = writeOut(project({ framework: "nest", database: "sqlite" }));
  const decorated = `import { Injectable } from "@nestjs/common";
@Injectable() export class Cats { static said = Cats.name; name = Cats.name; }`;
  writeFileSync(join(folder, "src/cats.ts"), decorated);
  // Another class has the same name.
  const code = `import { Cats as Others } from "./others.ts"; import { Cats } from "./cats.ts";
console.log(Cats.name, Cats.said, new Cats().name, Others.name);`;
  writeFileSync(join(folder, "src/others.ts"), decorated.replace(" static said = Cats.name;", ""));
  writeFileSync(join(folder, "src/main.ts"), code);
  for (const minifyWhitespace of [true, false]) {
    await buildWithoutPackages(folder, { minifyWhitespace });
    assert.equal(await run(folder, process.execPath, "dist/main.cjs"), "Cats Cats Cats Cats\n");
  }
  for (const name of ["one", "two"]) writeFileSync(join(folder, `src/${name}.ts`), "export class Dog {}");
  const plain = `import { Dog as One } from "./one.ts"; import { Dog as Two } from "./two.ts"; console.log(One.name, Two.name);`;
  writeFileSync(join(folder, "src/main.ts"), plain);
  await run(folder, process.execPath, "dory.ts", "build");
  assert.equal(await run(folder, process.execPath, "dist/main.cjs"), "Dog Dog\n");
});

/** A project with packages for the files in `src` alone. */
function ownPackages() {
  const folder = writeOut(project({ framework: "hono", database: "sqlite" }));
  const entry = join(folder, "src/main.ts");
  const before = readFileSync(entry, "utf8");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const addPackage = (name: string, files: Record<string, string>, declared: object = {}) => {
    write(`src/node_modules/${name}/package.json`, JSON.stringify({ name, ...declared }));
    // In strict mode, or it would stand beside the bundle.
    const isScript = (path: string, text: string) => /\.c?js$/.test(path) && !/^\s*(import|export)\b/m.test(text);
    for (const [path, text] of Object.entries(files))
      write(`src/node_modules/${name}/${path}`, `${isScript(path, text) ? '"use strict"; ' : ""}${text}`);
  };
  const buildWith = (code: string) => {
    writeFileSync(entry, code);
    return run(folder, process.execPath, "dory.ts", "build");
  };
  return { folder, before, write, addPackage, buildWith };
}

describe("a package in the bundle", { skip: earlier }, () => {
  const { folder, addPackage, buildWith } = ownPackages();
  const runWith = async (code: string) => {
    await buildWith(code);
    return run(folder, process.execPath, "--enable-source-maps", "dist/main.cjs");
  };

  test("has classes that read their own names, or are decorated, whatever else has these names", async () => {
    const cats = "export class Cats { said = Cats.name; }";
    const dogs = "let Dogs = Dogs_1 = class Dogs { said = Dogs_1.name; };\nDogs = Dogs_1 = __decorate([], Dogs);";
    const decorated = `var Dogs_1;\nconst __decorate = (_, target) => target;\n${dogs}\nexport { Dogs };`;
    for (const name of ["one", "two"]) addPackage(name, { "index.js": cats, "dogs.js": decorated });
    const code = ["one", "two"].map(
      (name) => `import * as ${name} from "${name}"; import * as ${name}Dogs from "${name}/dogs.js";
console.log(new ${name}.Cats().said, ${name}.Cats.name, new ${name}Dogs.Dogs().said);`,
    );
    assert.equal(await runWith(code.join("\n")), "Cats Cats Dogs\nCats Cats Dogs\n");
  });

  test("has classes whose names it reads from their objects, as own code has, whatever else has these names", async () => {
    const model = "const create = () => function model() { if (!(this instanceof model)) return new model(); };";
    const one = `${model} exports.one = new (create())(); exports.read = (object) => object.constructor.name;`;
    addPackage("reads", { "index.js": one });
    addPackage("other", { "index.mjs": "export function model() {}\nexport class Cat {}" }, { exports: "./index.mjs" });
    const code = `import { one, read } from "reads"; import { Cat as Other, model } from "other";
class Cat { private readonly said: string = "a cat"; say() { return this.said; } }
console.log(read(one), read(new model()), read(new Cat()), Cat.name, new Other() instanceof Other, new Cat().say());`;
    assert.equal(await runWith(code), "model model Cat Cat true a cat\n");
  });

  test("has no file that it could load, and goes on", async () => {
    const tries = 'let addon;\ntry { addon = require("./addon.js"); } catch {}\nexports.addon = addon ?? "none";';
    addPackage("lacks", { "index.js": tries, "addon.js": 'module.exports = require("../build/Release/own.node");' });
    assert.equal(await runWith('import { addon } from "lacks"; console.log(addon);'), "none\n");
    addPackage("closed", { "index.js": "" }, { exports: "./index.js" });
    addPackage("calls", { "index.js": 'exports.call = () => require("closed/package.json");' });
    const calls = 'import { call } from "calls"; try { call() } catch (error) { console.log(error.code); }';
    assert.match(await runWith(calls), /^(ERR_PACKAGE_PATH_NOT_EXPORTED|MODULE_NOT_FOUND)\n$/);
    addPackage("broken", { "index.mjs": 'import "./absent.js";' }, { exports: "./index.mjs" });
    await assert.rejects(buildWith('import "broken";'), /Could not resolve "\.\/absent\.js"/);
  });

  test("has its files in a stack trace", async () => {
    addPackage("fails", { "index.js": 'export { fail } from "./lib/fail.js";', "lib/fail.js": throwing });
    const stack = await runWith(
      'import { fail } from "fails";\n\ntry { fail(); } catch (error) { console.log(error.stack); }',
    );
    assert.match(stack, /at fail \(.*\/src\/node_modules\/fails\/lib\/fail\.js:1:1\)\n.*\/src\/main\.ts:3:7/);
  });
});

const throwing = 'export function fail() {\n  throw new Error("as the test says");\n}\n';

describe("a package that is not installed", { skip: earlier }, () => {
  const { before, addPackage, buildWith: buildAlone } = ownPackages();
  const buildWith = (code: string) => buildAlone(`${code}\n${before}`);
  const index = (code: string) => ({ "index.js": code });

  test("fails the build, which says its name and where it is imported", async () => {
    for (const code of ['import "absent";', 'import { x } from "absent/x.js"; x();', 'await import("absent");'])
      await assert.rejects(buildWith(code), ({ message }: Error) => {
        assert.match(message, /The package absent is not installed\. Run: npm install absent/);
        assert.match(message, /src\/main\.ts:1/);
        assert.doesNotMatch(message, /Build failed|at .*node_modules/);
        return true;
      });
  });

  test("fails the build if an installed package needs it", async () => {
    addPackage("needs", index('require("@absent/one");'), { peerDependencies: { "@absent/one": "*" } });
    await assert.rejects(buildWith('import "needs";'), /Could not resolve "@absent\/one"/);
    addPackage("imports", index('import "absent";'));
    await assert.rejects(buildWith('import "imports";'), /The package absent is not installed/);
  });

  test("does not matter to a package that works without it", async () => {
    addPackage("tries", index('try { require("absent") } catch {}'), { dependencies: { absent: "*" } });
    addPackage("offers", index('exports.more = () => require("absent");'));
    addPackage("prefers", index('exports.more = () => require("absent");'), { optionalDependencies: { absent: "*" } });
    const meta = { absent: { optional: true } };
    addPackage("meets", index('import("absent").catch(() => {});'), { peerDependenciesMeta: meta });
    await buildWith('import "tries"; import "offers"; import "prefers"; import "meets";');
  });
});

describe("own code in the bundle", { skip: earlier }, () => {
  const { folder, write, addPackage, buildWith } = ownPackages();

  test("finds its files and loads others as on plain Node, also by names that a bundle has, too", async () => {
    addPackage("found", { "index.js": "" });
    addPackage("needed", { "index.js": "exports.needed = 'a package';" });
    const asks =
      '({ "import.meta.url": "import.meta.url", is: typeof import.meta.url, main: import.meta.main === true })';
    addPackage("asks", { "index.js": `export const asks = ${asks};` }, { type: "module", exports: "./index.js" });
    write("src/more/data.json", '{ "text": "of a file" }');
    const here = "JSON.parse(require('node:fs').readFileSync(__dirname + '/data.json', 'utf8')).text";
    write("src/more/old.cjs", `exports.old = 'CommonJS ' + ${here};`);
    const script = 'import { readFileSync } from "node:fs"; const __dirname = import.meta.dirname;';
    write("src/more/script.js", `${script} export const script = readFileSync(__dirname + "/data.json", "utf8");`);
    write("src/more/new.ts", "export default 'a module';");
    write("src/more/own.ts", ownCode);
    // On plain Node, from the sources; what runs in a bundle is elsewhere.
    const plain = await run(folder, process.execPath, "src/more/own.ts");
    await buildWith('import { said } from "./more/own.ts"; said.then((all) => console.log(JSON.stringify(all)));');
    const elsewhere = temporaryFolder();
    cpSync(join(folder, "dist"), elsewhere, { recursive: true });
    const bundled = JSON.parse(await run(elsewhere, process.execPath, "main.cjs"));
    assert.deepEqual({ ...bundled, isMain: true }, JSON.parse(plain));
    assert.equal(bundled.isMain, false);
  });
});

const ownCode = `import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import data from "./data.json" with { type: "json" };
import old from "./old.cjs";
import { asks } from "asks";
import { script } from "./script.js";

const __filename = fileURLToPath(import.meta.url);
const __dirname = dirname(__filename);
const require = createRequire(import.meta.url);
const load = createRequire(import.meta.filename);
const read = (path: string | URL) => JSON.parse(readFileSync(path, "utf8")).text;

async function say() {
  const name: string = "new";
  return {
    imported: data.text,
    dynamic: (await import("./data.json", { with: { type: "json" } })).default.text,
    byFolder: read(join(__dirname, "data.json")),
    byFile: read(__filename.replace("own.ts", "data.json")),
    byAddress: read(new URL("./data.json", import.meta.url)),
    byDirname: read(\`\${import.meta.dirname}/data.json\`),
    resolved: read(new URL(import.meta.resolve("./data.json"))),
    required: require("./data.json").text,
    resolvedPath: read(require.resolve("./data.json")),
    old: [old.old, require("./old.cjs").old, load("./old.cjs").old],
    script,
    said: "what others require, stays; so does what they require.",
    builtin: typeof require("node:fs").readFileSync,
    needed: load("needed").needed,
    found: [require.resolve("found"), import.meta.resolve("found")].every((path) => path.endsWith("found/index.js")),
    named: (await import(\`./\${name}.ts\`)).default,
    isMain: import.meta.main,
    texts: ["import.meta.url", \`\${1}import.meta.dirname\`, { "import.meta.filename": asks }],
  };
}

export const said = say();
if (import.meta.main) console.log(JSON.stringify(await said));
`;

describe("what stands beside the bundle", () => {
  const { folder, before, write, addPackage, buildWith } = ownPackages();
  /** What the bundle prints where only `dist` is. */
  const runElsewhere = async () => {
    const elsewhere = temporaryFolder();
    cpSync(join(folder, "dist"), elsewhere, { recursive: true });
    return run(elsewhere, process.execPath, "--enable-source-maps", "main.cjs");
  };

  write("src/original.ts", before);
  /** The dependencies of the project stay imported. */
  const buildAndRun = async (code: string) => {
    await buildWith(`${code}\nif (process.argv.includes("never")) import("./original.ts");`);
    return runElsewhere();
  };

  test("is nothing, if no package needs its own files", { skip: earlier }, async () => {
    await buildWith(before);
    assert.deepEqual(readdirSync(join(folder, "dist")).sort(), ["main.cjs", "main.cjs.map"]);
  });

  test("is a package that reads its own files, with what it needs, and once only", { skip: earlier }, async () => {
    addPackage("shared", { "index.js": "exports.Thing = class Thing {};" });
    addPackage(
      "reads",
      {
        "index.js":
          'const { Thing } = require("shared"); exports.text = require("fs").readFileSync(__dirname + "/text", "utf8"); exports.isThing = (one) => one instanceof Thing;',
        text: "of a package",
        "types.d.ts": "",
      },
      { dependencies: { shared: "*" } },
    );
    addPackage(
      "pages",
      {
        "index.mjs":
          'import { readFileSync } from "node:fs"; export default function text() { return readFileSync(new URL("text", import.meta.url), "utf8"); }',
        text: "of a module",
      },
      { exports: "./index.mjs" },
    );
    addPackage("plain", { "index.js": "exports.plain = 'bundled';" });
    const code = `import * as reads from "reads"; import text from "pages"; import { Thing } from "shared"; import { plain } from "plain";
console.log(reads.text, reads.isThing(new Thing()), text(), plain);`;
    assert.equal(await buildAndRun(code), "of a package true of a module bundled\n");
    assert.deepEqual(readdirSync(join(folder, "dist/node_modules")).sort(), ["pages", "reads", "shared"]);
    assert.deepEqual(readdirSync(join(folder, "dist/node_modules/reads")).sort(), ["index.js", "package.json", "text"]);
  });

  test("is a package whose code is not in strict mode, and means something else there", { skip: earlier }, async () => {
    addPackage("strict", { "index.js": "exports.isStrict = (function () { return this === undefined })();" });
    addPackage("sloppy", {});
    write(
      "src/node_modules/sloppy/index.js",
      `count = 1; const frozen = Object.freeze({ a: 1 }); frozen.a = 2; true.type = "error";
exports.seen = function () { return [count, frozen.a, this === undefined, require("strict").isStrict] };`,
    );
    const code =
      'import sloppy from "sloppy"; import strict from "strict"; console.log(sloppy.seen(), strict.isStrict);';
    assert.equal(await buildAndRun(code), "[ 1, 1, false, true ] true\n");
  });

  test("is a package that loads by another name of require", { skip: earlier }, async () => {
    const index = "const load = require;\nexports.load = (name) => load('./locale/' + name);";
    addPackage("aliases", { "index.js": index, "locale/de.js": "module.exports = 'Januar';" });
    assert.equal(await buildAndRun('import { load } from "aliases"; console.log(load("de"));'), "Januar\n");
  });

  test("is nothing for own code that has names of the bundle", { skip: earlier }, async () => {
    write("src/names.txt", "own");
    write(
      "src/names.ts",
      `import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
const __filename = fileURLToPath(import.meta.url);
const __dirname = dirname(__filename);
const require = createRequire(import.meta.url);
export const own: string = readFileSync(join(__dirname, "names.txt"), "utf8") + require("node:path").sep;`,
    );
    assert.equal(await buildAndRun('import { own } from "./names.ts"; console.log(own);'), "own/\n");
  });

  test("is found by code that waits at the top level: the bundle is an ES module then", { skip: earlier }, async () => {
    const waits =
      "export let y = await Promise.resolve(2); export const count = () => ++y; export default class Waits {}";
    addPackage("@own/waits", { "lib/index.mjs": waits }, { exports: "./lib/index.mjs" });
    const reads = 'exports.text = require("fs").readFileSync(__dirname + "/text", "utf8");';
    addPackage("has-files", { "index.js": reads, text: "of a package" });
    addPackage("calls", { "index.js": 'exports.calls = require("node:path").basename(require("has-files").text);' });
    write("src/waits/own.txt", "own");
    write(
      "src/waits/own.ts",
      `import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
const __filename = fileURLToPath(import.meta.url);
const __dirname = dirname(__filename);
const require = createRequire(import.meta.url);
export const own: string = await readFile(join(__dirname, "own.txt"), "utf8") + require("node:path").sep;`,
    );
    const code = `import Waits, { count, y } from "@own/waits"; import * as all from "@own/waits"; import { text } from "has-files";
import { calls } from "calls"; import { own } from "./waits/own.ts";
count();
console.log(y, Waits.name, all.default === Waits, text, calls, own);
import("@own/waits").then((module) => console.log(module.default === Waits));`;
    assert.equal(await buildAndRun(code), "3 Waits true of a package of a package own/\ntrue\n");
    await buildAndRun("");
    assert.ok(!existsSync(join(folder, "dist/main.mjs")));
  });

  test("is the package of an addon for this machine, which another names", { skip: earlier }, async () => {
    const code = 'try { require("addon-for-this-machine"); } catch ({ code }) { exports.code = code; }';
    addPackage("addon", { "index.js": code }, { optionalDependencies: { "addon-for-this-machine": "*" } });
    addPackage("addon-for-this-machine", { "own.node": "no library" }, { main: "own.node" });
    // Node has found it, and cannot load it.
    assert.equal(await buildAndRun('import { code } from "addon"; console.log(code);'), "ERR_DLOPEN_FAILED\n");
  });

  test("is every package, if one changes others when they are loaded, to trace them", { skip: earlier }, async () => {
    addPackage("require-in-the-middle", {
      "index.js": `const { Module } = require("node:module"); const original = Module.prototype.require;
Module.prototype.require = function (id) {
  const loaded = original.call(this, id);
  if (Module._resolveFilename(id, this).endsWith("/node_modules/traced/index.js")) loaded.say = () => "traced";
  return loaded;
};`,
    });
    addPackage(
      "tracer",
      { "index.js": 'require("require-in-the-middle");' },
      { dependencies: { "require-in-the-middle": "*" } },
    );
    addPackage("traced", { "index.js": "exports.say = () => 'not traced';" });
    write("src/tracing.ts", 'import "tracer";');
    const code = 'import "./tracing.ts"; import traced from "traced"; console.log(traced.say());';
    assert.equal(await buildAndRun(code), "traced\n");
  });

  test("is a dependency that nothing imports: it is loaded by its name", { skip: later }, async () => {
    const content = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    // Any package that npm installed, and that the backend does not use.
    write("package.json", JSON.stringify({ ...content, dependencies: { ...content.dependencies, ms: "*" } }));
    const code = "console.log(require(['m', 's'].join(''))('1s'));";
    assert.equal(await buildAndRun(code), "1000\n");
    write("package.json", JSON.stringify(content));
    await buildAndRun("");
    assert.ok(!existsSync(join(folder, "dist/node_modules/ms")));
  });

  test("is the bundle of each worker, and one that the build cannot find is named", { skip: later }, async () => {
    write("src/jobs/shared.ts", 'export const said: string = "from a worker";');
    write(
      "src/jobs/shout.ts",
      `import { readFileSync } from "node:fs"; import { parentPort } from "node:worker_threads"; import { said } from "./shared.ts";
parentPort?.postMessage(said.toUpperCase() + readFileSync(new URL("word.txt", import.meta.url), "utf8"));`,
    );
    write("src/jobs/word.txt", "!");
    write(
      "src/jobs/run.ts",
      `import { Worker } from "node:worker_threads";
export const run = () => new Worker(new URL("./shout.ts", import.meta.url)).on("message", console.log);
export const other = (path: string) => new Worker(path);`,
    );
    const code = 'import { run } from "./jobs/run.ts"; run();';
    assert.equal(await buildAndRun(code), "FROM A WORKER!\n");
    const output = await buildWith(`${code}\nif (process.argv.includes("never")) import("./original.ts");`);
    assert.match(output, /cannot see which file this worker runs.*src\/jobs\/run\.ts:3:/s);
    assert.doesNotMatch(output, /run\.ts:2/);
  });

  test("are files in `src` that are not code", { skip: later }, async () => {
    write("src/pages/page.html", "a page");
    write("src/pages/.well-known/security.txt", "Contact");
    write("src/.env", "SECRET=visibly-fake");
    write(
      "src/pages/page.ts",
      'import { readFileSync } from "node:fs"; export const page = readFileSync(import.meta.dirname + "/page.html", "utf8") + readFileSync(new URL("page.html", import.meta.url), "utf8");',
    );
    assert.equal(await buildAndRun('import { page } from "./pages/page.ts"; console.log(page);'), "a pagea page\n");
    assert.equal(readFileSync(join(folder, "dist/pages/.well-known/security.txt"), "utf8"), "Contact");
    assert.ok(!existsSync(join(folder, "dist/.env")));
  });

  test("are scripts of pages in `src`, which the bundle does not contain", { skip: later }, async () => {
    write("src/public/app.js", 'document.title = "a script";');
    write("src/own.js", "export const own = 1;");
    const code = `import { existsSync, readFileSync } from "node:fs"; import { own } from "./own.js";
console.log(readFileSync(import.meta.dirname + "/public/app.js", "utf8"), own, existsSync(import.meta.dirname + "/own.js"));`;
    assert.equal(await buildAndRun(code), 'document.title = "a script"; 1 false\n');
  });

  test("are modules in a folder that own code names: what loads them by their paths gets what the app has", {
    skip: later,
  }, async () => {
    write("src/plugins/shared.ts", "export class Shared {}");
    write("src/plugins/auto/one/index.ts", 'export { Shared as default } from "../../shared.ts"; export const up = 1;');
    write("src/plugins/auto/two.ts", 'import { Shared } from "../shared.ts"; export const down = Shared;');
    write("src/scripts/seed.ts", 'await import("node:fs");');
    const load = `import { globSync } from "node:fs"; import { createRequire } from "node:module"; import { join } from "node:path";
import { Shared } from "./shared.ts";
const folder = FOLDER;
export async function load() {
  for (const path of globSync("**/*.js", { cwd: folder }).sort()) {
    const file: string = join(folder, path);
    const imported = await import(file);
    const required = createRequire(file)(file);
    console.log(path, Object.keys(imported).join(), required.up === imported.up, (required.default ?? imported.down) === Shared);
  }
}`;
    for (const folder of [
      'join(import.meta.dirname, "auto")',
      `\`\${import.meta.dirname}/auto\``,
      'import.meta.dirname + "/auto"',
      'new URL("./auto/", import.meta.url).pathname',
    ]) {
      write("src/plugins/load.ts", load.replace("FOLDER", folder));
      assert.equal(
        await buildAndRun('import { load } from "./plugins/load.ts"; load();'),
        "one/index.js default,up true true\ntwo.js down true true\n",
        folder,
      );
    }
  });
});
