import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { parseEnv } from "node:util";
import { kitFile } from "../../src/kit.ts";
import { printAnyEnv } from "../../src/new/print/application/env.ts";
import { type AnyInput, readAnyInput, readAnyRequest } from "../../src/new/services.ts";
import type { Files } from "../../src/new/slice/slice.ts";
import { writeFiles } from "../../src/new/write.ts";
import { readApplication } from "../../src/publish/application.ts";
import { printComposeWith } from "../../src/publish/compose.ts";
import { checkSecrets } from "../../src/publish/secrets.ts";
import { findKnownVolumes } from "../../src/publish/volumes.ts";
import { backend, migrationKinds, project, repository, run, temporaryFolder } from "../support.ts";

const api = { name: "api", framework: "hono" };
const jobs = { name: "night-jobs", framework: "nest", features: ["auth", "cors"], webhooks: ["github"] };
const asked: AnyInput = { name: "shop", services: [api, jobs] };
const onPostgres: AnyInput = { ...asked, database: "postgres" };

describe("an application", () => {
  const files = project(onPostgres);
  const folder = temporaryFolder();
  writeFiles(folder, files);

  test("has a project in a folder for each service, and one dory.json", () => {
    const own = ["dory.json", "README.md", ".env.example"];
    for (const { name, ...service } of [api, jobs]) {
      const plain = project({ name, database: "postgres", ...service });
      const inFolder = below(`${name}/`, files);
      // Apart from texts about it, only the schema is added.
      const changed = ["src/core/start.ts"];
      assert.deepEqual(
        [...inFolder.keys()].filter((path) => path !== "src/core/store/schema.ts").sort(),
        [...plain.keys()].filter((path) => path !== "dory.json").sort(),
      );
      for (const [path, text] of plain)
        if (changed.includes(path)) assert.equal(withoutSchema(inFolder.get(path)), text, path);
        else if (!own.includes(path)) assert.equal(inFolder.get(path), text, path);
      assert.match(inFolder.get("README.md") ?? "", /a service of \[shop\]\(\.\.\/README\.md\)/);
    }
    assert.deepEqual(
      [...files.keys()].filter((path) => path.endsWith("dory.json")),
      ["dory.json"],
    );
  });

  test("is made again from its dory.json", () => {
    assert.deepEqual(project(readAnyInput(JSON.parse(files.get("dory.json") ?? ""))), files);
  });

  test("has the compose.yaml that dory compose makes", () => {
    assert.equal(files.get("compose.yaml"), printComposeWith(readApplication(folder), findKnownVolumes));
  });

  test("is published with a schema for each service, and the database as one more", () => {
    const { name, services } = readApplication(folder);
    assert.deepEqual(
      [name, ...services.map(({ name, folder: path, image, port, env }) => [name, path ?? image, port, env])],
      [
        "shop",
        ["api", join(folder, "api"), 3000, { DATABASE_SCHEMA: "api" }],
        [
          "night-jobs",
          join(folder, "night-jobs"),
          3000,
          { DATABASE_SCHEMA: "night-jobs", CORS_ORIGINS: "http://localhost:5173" },
        ],
        ["database", "postgres:18", 5432, { POSTGRES_DB: "shop" }],
      ],
    );
    assert.deepEqual(
      services.map(({ secrets }) => secrets),
      [["DATABASE_URL"], ["DATABASE_URL", "API_TOKENS", "WEBHOOK_GITHUB_SECRETS"], ["POSTGRES_PASSWORD"]],
    );
    assert.throws(
      () => readApplication(join(folder, "api")),
      /This is the service api of an application\. Run this in/,
    );
  });

  test("has an .env with all secrets, and an example without values", () => {
    let count = 0;
    const env = parseEnv(printAnyEnv(readAnyRequest(onPostgres), () => `random${++count}`)) as Record<string, string>;
    checkSecrets(readApplication(folder), env);
    const { POSTGRES_PASSWORD: password, DATABASE_URL: url } = env;
    assert.equal(url, `postgres://postgres:${password}@database:5432/shop`);
    const example = files.get(".env.example") ?? "";
    assert.deepEqual(Object.keys(parseEnv(example)).sort(), Object.keys(env).sort());
    assert.doesNotMatch(example, /random/);
  });

  test("on SQLite has nothing of PostgreSQL, and without secrets no file for them", () => {
    const sqlite = project({ ...asked, database: "sqlite", services: [api] });
    for (const [path, text] of sqlite)
      if (path !== "dory.json" && path !== `api/${kitFile}`)
        assert.doesNotMatch(text.replace(migrationKinds, ""), /postgres|schema_|DATABASE_SCHEMA/i, path);
    assert.ok(![...sqlite.keys()].some((path) => path === ".env.example" || path.includes("postgres")));
    assert.equal(printAnyEnv(readAnyRequest({ name: "shop", database: "sqlite", services: [api] }), assert.fail), "");
    const lines = new Set([...backend.files.values()].flatMap((text) => text.split("\n")));
    for (const [path, text] of sqlite)
      if (path.startsWith("scripts/"))
        for (const line of text.split("\n")) assert.ok(lines.has(line), `${path}: ${line}`);
  });

  test("is formatted and linted, with the scripts that run its services", async () => {
    for (const all of [files, project({ ...asked, database: "sqlite" })]) {
      const folder = temporaryFolder();
      const isAtRoot = (path: string) => /^(scripts\/|[^/]+\.json$|\.gitignore$)/.test(path);
      writeFiles(
        folder,
        [...all].filter(([path]) => isAtRoot(path)),
      );
      writeFiles(folder, [["biome.json", all.get("api/biome.json") ?? ""]]);
      await run(folder, join(repository, "node_modules/.bin/biome"), "check", "--error-on-warnings", ".");
    }
  });
});

function below(folder: string, files: Files): Files {
  const found = [...files].filter(([path]) => path.startsWith(folder));
  return new Map(found.map(([path, text]) => [path.slice(folder.length), text]));
}

const withoutSchema = (text = "") => text.replaceAll(/^.*(schema\.ts"|readSchemaSettings).*\n/gm, "");
