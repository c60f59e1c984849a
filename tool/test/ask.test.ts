import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import {
  databaseDescriptions,
  featureDescriptions,
  frameworkDescriptions,
  sourceDescriptions,
} from "../src/new/descriptions.ts";
import { bin } from "./dory.ts";
import { run, temporaryFolder } from "./support.ts";
import { keys, noTerminal, Terminal } from "./terminal.ts";

const command = (...flags: string[]) => [process.execPath, bin, "new", ...flags, "--no-install", "--no-git"].join(" ");

describe("the questions at a terminal", { skip: noTerminal }, () => {
  test("take a name instead of the suggested one, fields and resources, and end with the command that repeats them", async () => {
    const folder = temporaryFolder();
    const terminal = new Terminal(folder, command());
    await terminal.answer("◆  Name, or a path", "shop", keys.enter);
    await terminal.answer("◆  Framework", keys.down, keys.enter);
    await terminal.answer("◆  Fields of an item", "title:strin", keys.enter);
    await terminal.answer('There is no field type "strin". Did you mean string?', "g(1..80) price:number?", keys.enter);
    await terminal.answer("◆  Another field", "done:boolean=false", keys.enter);
    await terminal.answer("◆  Another field", keys.enter);
    await terminal.answer("◆  Another resource", "orders: itemId:ref(items), note:string(..500)?", keys.enter);
    await terminal.answer("◆  Another resource", keys.enter);
    await terminal.answer("◆  Database", keys.down, keys.enter);
    await terminal.answer("◆  With", keys.space, keys.down, keys.space, keys.enter);
    await terminal.answer("◆  Webhooks from", keys.enter);
    const { code, shown } = await terminal.end();
    assert.equal(code, 0, shown);
    const { id: _, ...request } = readRequest(join(folder, "shop"));
    assert.deepEqual(request, {
      name: "shop",
      framework: "koa",
      fields: ["title:string(1..80)", "price:number?", "done:boolean=false"],
      resources: ["orders: itemId:ref(items), note:string(..500)?"],
      database: "sqlite",
      features: ["auth", "cors"],
      node: request.node,
    });
    const [, repeated = ""] = /└\s+npx dory (new shop .*)/.exec(shown) ?? [];
    const other = temporaryFolder();
    await run(other, "sh", "-c", `${process.execPath} ${bin} ${repeated.trim()} --no-install --no-git`);
    const { id: __, ...again } = readRequest(join(other, "shop"));
    assert.deepEqual(again, request);
  });

  test("describe each choice in one sentence, and take Enter for what is suggested", async () => {
    const folder = temporaryFolder();
    const terminal = new Terminal(folder, command());
    const questions = [
      "Name,",
      "Framework",
      "Fields of",
      "Another field",
      "Another resource",
      "Database",
      "With",
      "Webhooks",
    ];
    for (const question of questions) await terminal.answer(`◆  ${question}`, keys.enter);
    const { code, shown } = await terminal.end();
    assert.equal(code, 0, shown);
    for (const descriptions of [frameworkDescriptions, databaseDescriptions, featureDescriptions, sourceDescriptions])
      for (const { title, sentence } of Object.values(descriptions))
        assert.ok(shown.includes(`${title}: ${sentence.replace(/\.$/, "")}`), title);
    assert.match(shown, /└\s+npx dory new my-api --framework hono\s/);
    assert.equal(readRequest(join(folder, "my-api")).framework, "hono");
  });

  test("ask only for what flags do not set, and make nothing if they are cancelled", async () => {
    const folder = temporaryFolder();
    const terminal = new Terminal(folder, command("my-api", "--field", "a:string", "--database", "sqlite"));
    await terminal.answer("◆  Framework", keys.enter);
    await terminal.answer("◆  Another resource", keys.enter);
    await terminal.answer("◆  With", keys.cancel);
    const { code, shown } = await terminal.end();
    assert.equal(code, 1);
    assert.match(shown, /Nothing was made/);
    assert.ok(!/Name, or a path|Fields of an item|Database/.test(shown));
    assert.deepEqual(readdirSync(folder), []);
  });

  test("take several services, each with its framework, and refuse a wrong name", async () => {
    const folder = temporaryFolder();
    const terminal = new Terminal(folder, command("shop", "--field", "a:string"));
    await terminal.answer("◆  Framework", keys.down, keys.down, keys.down, keys.enter);
    await terminal.answer("◆  Name of the first service", keys.enter);
    await terminal.answer("◆  Framework of api", keys.enter);
    await terminal.answer("◆  Name of another service", "api", keys.enter);
    await terminal.answer('Two services are named "api"', keys.delete, keys.delete, keys.delete, "jobs", keys.enter);
    await terminal.answer("◆  Framework of jobs", keys.down, keys.enter);
    await terminal.answer("◆  Name of another service", keys.enter);
    for (const question of ["Another resource", "Database", "With", "Webhooks from"])
      await terminal.answer(`◆  ${question}`, keys.enter);
    const { code, shown } = await terminal.end();
    assert.equal(code, 0, shown);
    assert.match(shown, /└\s+npx dory new shop --service api=hono --service jobs=koa --field a:string\s/);
    const { services } = readRequest(join(folder, "shop"));
    assert.deepEqual([services.api.framework, services.jobs.framework], ["hono", "koa"]);
  });

  test("do not ask for a framework if services have theirs", async () => {
    const folder = temporaryFolder();
    const terminal = new Terminal(folder, command("--service", "api=koa", "--field", "a:string", "--yes"));
    assert.match((await terminal.end()).shown, /Name the project.*missing_name/s);
    const asked = new Terminal(folder, command("--service", "api=koa", "--field", "a:string"));
    await asked.answer("◆  Name, or a path", "shop", keys.enter);
    for (const question of ["Another resource", "Database", "With", "Webhooks from"])
      await asked.answer(`◆  ${question}`, keys.enter);
    const { code, shown } = await asked.end();
    assert.equal(code, 0, shown);
    assert.match(shown, /└\s+npx dory new shop --service api=koa --field a:string\s/);
  });
});

function readRequest(folder: string) {
  const { dory: _, publish: __, ...request } = JSON.parse(readFileSync(join(folder, "dory.json"), "utf8"));
  return request;
}
