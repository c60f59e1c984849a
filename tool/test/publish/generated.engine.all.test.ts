import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { parseEnv } from "node:util";
import { bin } from "../dory.ts";
import { installNode, run, temporaryFolder } from "../support.ts";
import { noCompose, noEngine, runDory, unpublish } from "./support.ts";

const port = 18_190;

describe("an application of dory new --service", { skip: noEngine }, () => {
  let folder: string;
  let token: string;
  let node: string;
  before(async () => {
    node = join(await installNode("20"), "node");
    const parent = temporaryFolder();
    folder = join(parent, "dory-test-generated");
    const asked = ["--service", "api=hono", "--service", "jobs=express", "--database", "postgres", "--with", "auth"];
    await run(parent, node, bin, "new", "dory-test-generated", ...asked, "--no-install", "--no-git");
    for (const name of ["api", "jobs"])
      await run(join(folder, name), "npm", "install", "--package-lock-only", "--no-audit", "--no-fund");
    token = parseEnv(readFileSync(join(folder, ".env"), "utf8"))["API_TOKENS"] ?? "";
    // What a run that was cut off left behind.
    await unpublish(folder);
  });
  after(() => unpublish(folder));

  test("is published unchanged from Node 20, with its .env: tested, released, each service in its schema", async () => {
    const flags = ["publish", "--env-file", ".env", "--port", String(port), "--watch-seconds", "0"];
    const { code, stdout, stderr } = await runDory(folder, flags, { node });
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /Test jobs/);
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
    const url = `http://localhost:${port}/items`;
    assert.equal((await fetch(url, { method: "POST", headers, body: '{"name":"Boat"}' })).status, 201);
    const ask = `fetch("http://jobs:3000/items",{headers:{Authorization:"Bearer ${token}"}}).then(async(answer)=>console.log(answer.status,await answer.text()))`;
    const container = "dory-test-generated--api--r1";
    const answer = await run(folder, "docker", "exec", container, "/nodejs/bin/node", "-e", ask);
    assert.equal(answer.trim(), '200 {"items":[],"nextCursor":null}');
  });

  test("becomes healthy from its compose.yaml, and keeps its data", { skip: noCompose() }, async () => {
    const compose = (...args: string[]) => run(folder, "docker", "compose", ...args);
    const up = ["up", "-d", "--wait", "--wait-timeout", "120"];
    const ask = (service: string, path: string, more = "") => {
      const init = `{headers:{"Content-Type":"application/json",Authorization:"Bearer ${token}"}${more}}`;
      const code = `fetch("http://127.0.0.1:3000${path}",${init}).then(async(answer)=>console.log(answer.status,await answer.text()))`;
      return compose("exec", "-T", service, "/nodejs/bin/node", "-e", code);
    };
    // The engine's own image of PostgreSQL may declare another path for its data than the official one.
    assert.equal((await runDory(folder, ["compose"])).code, 0);
    try {
      await compose(...up, "--build");
      for (const name of ["api", "jobs"]) assert.match(await ask(name, "/health"), /^200 /);
      assert.match(await ask("api", "/items", `,method:"POST",body:'{"name":"Boat"}'`), /^201 /);
      await compose("down");
      await compose(...up);
      assert.match(await ask("api", "/items"), /^200 .*"name":"Boat"/);
    } finally {
      await compose("down", "--volumes", "--rmi", "local");
    }
  });
});
