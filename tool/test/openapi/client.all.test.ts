import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { apiTokens, tokens } from "../../../backend/kit/suite/auth/tokens.ts";
import { Backend } from "../../../backend/kit/test/backend.ts";
import { newSqliteFile } from "../../../backend/kit/test/sqlite.ts";
import { project, repository, run, writeOut } from "../support.ts";
import { client } from "./client.ts";

test("a client that is generated from openapi.json talks to the backend", async () => {
  const fields = ["name:string(1..80)", "tags:string[]?"];
  const folder = writeOut(project({ framework: "hono", database: "sqlite", features: ["auth"], fields }));
  const generator = join(repository, "tool/node_modules/.bin/openapi-typescript");
  await run(folder, generator, "openapi.json", "-o", "client/api.ts");
  writeFileSync(join(folder, "client/client.ts"), client);
  writeFileSync(join(folder, "client/tsconfig.json"), '{ "extends": "../tsconfig.json", "include": ["."] }');
  await run(folder, "tsc", "-p", "client");

  await run(folder, "npm", "run", "build");
  const own = ["sh", "-c", `exec "$0" ${folder}/dist/main.cjs`];
  using backend = await Backend.start({ DATABASE_URL: await newSqliteFile(), ...apiTokens }, own);
  const said = await run(folder, process.execPath, "client/client.ts", backend.url, tokens[0] ?? "");
  assert.deepEqual(JSON.parse(said), {
    name: "Ada",
    isListed: true,
    nextCursor: null,
    code: "invalid_item",
    pointer: "#/name",
    status: "ok",
  });
});
