import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { Backend } from "../../backend/kit/test/backend.ts";
import { eventually } from "../../backend/kit/test/eventually.ts";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { kitFile } from "../src/kit.ts";
import { project, run, writeOut } from "./support.ts";

describe("npm test of a project", () => {
  let folder: string;
  const runTests = (...args: string[]) => run(folder, "node", "dory.ts", "test", ...args);

  before(() => {
    folder = writeOut(project({ framework: "hono", database: "sqlite" }));
  });

  test("runs one file", async () => {
    const output = await runTests("test/app.test.ts");
    assert.match(output, /is healthy/);
    assert.doesNotMatch(output, /contract|openapi/);
  });

  test("runs the tests with a name, and passes other options to Node", async () => {
    const output = await runTests("test/app.test.ts", "--test-name-pattern", "is healthy", "--test-reporter=tap");
    assert.match(output, /ok 1 - is healthy/);
    assert.doesNotMatch(output, /says what is wrong/);
  });

  test("names a file that does not exist", async () => {
    await assert.rejects(runTests("test/ap.test.ts"), /Could not find 'test\/ap\.test\.ts'/);
  });

  test("loses no test below an await: it fails, and says what to move", async () => {
    const waits = `import test from "node:test";
setInterval(() => {}, 1000);
test("is known", () => {});
await new Promise((resolve) => setTimeout(resolve, 300));
test("is not known yet", () => {});
`;
    const file = join(folder, "test/waits.test.ts");
    writeFileSync(file, waits);
    const lost = /test\/waits\.test\.ts has tests below an await at the top level, which were not run/;
    await assert.rejects(runTests("test/waits.test.ts"), lost);
    writeFileSync(file, waits.replace(/await (.*\n)/, "").replace('test("is k', 'await test("is k'));
    assert.match(await runTests("test/waits.test.ts"), /is not known yet/);
    rmSync(file);
  });

  test("lets a debugger attach to the process of the app", async () => {
    const output = await runTests("--inspect=0", "test/app.test.ts");
    assert.match(output, /Debugger listening on/);
    assert.match(output, /is healthy/);
  });

  test("never tests an old bundle, also without npm", async () => {
    const file = join(folder, "test/fresh.test.ts");
    const started = `import { test } from "node:test";
import { Backend } from "../${kitFile}";
test("answers", async () => {
  const backend = await Backend.start({ DATABASE_URL: "file:\${import.meta.dirname}/../data/fresh.db" });
  console.log(await (await fetch(backend.url + "/health")).text());
  await backend.stop();
});
`;
    writeFileSync(file, started);
    assert.match(await run(folder, "node", "--test", file), /\{"status":"ok"\}/);
    const app = join(folder, "src/app.ts");
    writeFileSync(app, readFileSync(app, "utf8").replace('status: "ok"', 'status: "new"'));
    // Some file systems keep whole seconds.
    const changedAt = Date.now() / 1000 + 2;
    utimesSync(app, changedAt, changedAt);
    assert.match(await run(folder, "node", "--test", file), /\{"status":"new"\}/);
  });
});

test("an open stream does not hold up npm run dev", async () => {
  const folder = writeOut(project({ framework: "hono", database: "sqlite" }));
  const app = join(folder, "src/app.ts");
  const [before, health] = [readFileSync(app, "utf8"), '.get("/health"'];
  const streaming = `.get("/events", (c) => streamSSE(c, async (events) => {
    for (; !events.aborted; await events.sleep(100)) await events.writeSSE({ data: "tick" });
  }))`;
  const changed = before.replace(health, `${streaming}\n${health}`);
  writeFileSync(app, `import { streamSSE } from "hono/streaming";\n${changed}`);
  const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const inFolder = ["sh", "-c", `cd '${folder}'; exec ${scripts.dev}`];
  using dev = await Backend.start({ DATABASE_URL: await newSqliteFile() }, inFolder);
  const linesWith = (message: string) => dev.logged.filter((line) => line.includes(`"message":"${message}"`));
  const { body } = await fetch(`${dev.url}/events`);
  let ticks = 0;
  const ended = (async () => {
    for await (const _ of body ?? []) ticks += linesWith("stopping").length;
  })();
  writeFileSync(app, readFileSync(app, "utf8").replace('status: "ok"', "status: process.pid"));
  await assert.rejects(ended, "the stream is cut off");
  await eventually(() => linesWith("listening").length === 2, "the restart", 60_000);
  const { port } = JSON.parse(linesWith("listening")[1] ?? "");
  const { status: pid } = (await (await fetch(`http://127.0.0.1:${port}/health`)).json()) as { status: number };
  process.kill(pid);
  // In the ten seconds that a backend in production waits, there would be a hundred.
  assert.ok(ticks < 50, `${ticks} events after the stop began`);
});

test("the app of a hapi project answers in a test where plugins use a cache", async () => {
  const folder = writeOut(project({ framework: "hapi", database: "sqlite" }));
  const app = join(folder, "src/app.ts");
  const cached = `  const visits = server.cache({ segment: "visits", expiresIn: 60_000 });
  server.ext("onRequest", async (_request, h) => (await visits.set("last", Date.now()), h.continue));
`;
  writeFileSync(
    app,
    readFileSync(app, "utf8").replace(/^ {2}await server\.register/m, (line) => cached + line),
  );
  writeEmptyBundle(folder);
  assert.match(await run(folder, "node", "dory.ts", "test", "test/app.test.ts"), /is healthy/);
});

test("a test of a Nest project imports decorated classes, and may have its own", async () => {
  const folder = writeOut(project({ framework: "nest", database: "sqlite" }));
  writeFileSync(
    join(folder, "src/cats.ts"),
    `import { Controller, Get, Injectable, Module } from "@nestjs/common";

@Injectable()
export class CatsService {
  all = () => ["Tom"];
}

@Controller("cats")
export class CatsController {
  constructor(private readonly cats: CatsService) {}

  @Get()
  all() {
    return this.cats.all();
  }
}
`,
  );
  writeFileSync(
    join(folder, "test/cats.test.ts"),
    `import { test } from "node:test";
import { Module } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { CatsController, CatsService } from "../src/cats.ts";

@Module({ controllers: [CatsController], providers: [CatsService] })
class CatsModule {}

test("cats are injected", async () => {
  const app = await NestFactory.create(CatsModule, { logger: false });
  await app.listen(0, "127.0.0.1");
  console.log(await (await fetch(\`\${await app.getUrl()}/cats\`)).text(), new Error("in a test").stack);
  await app.close();
});
`,
  );
  writeEmptyBundle(folder);
  const output = await run(folder, "node", "dory.ts", "test", "test/app.test.ts", "test/cats.test.ts");
  assert.match(output, /is healthy/);
  assert.match(output, /\["Tom"\] Error: in a test\n.*test\/cats\.test\.ts:12:/);
});

/** For tests that do not need the bundle. */
function writeEmptyBundle(folder: string): void {
  mkdirSync(join(folder, "dist"));
  writeFileSync(join(folder, "dist/main.cjs"), "");
}
