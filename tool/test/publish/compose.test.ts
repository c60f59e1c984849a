import assert from "node:assert/strict";
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { type Application, readApplication } from "../../src/publish/application.ts";
import { printCompose } from "../../src/publish/compose.ts";
import { temporaryFolder } from "../support.ts";
import { runDory } from "./support.ts";

function shop(service: object = {}): Application {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "dory.json"), JSON.stringify({ name: "shop", framework: "hono", ...service }));
  return readApplication(folder);
}

/** Each line of the file is a key, quoted, and a JSON value or nothing. */
async function printLines(application: Application): Promise<string[]> {
  const lines = (await printCompose(application)).trimEnd().split("\n").slice(1);
  for (const line of lines) {
    const [, key = "", value = ""] = /^ *("(?:[^"\\]|\\.)*"):(.*)$/.exec(line) ?? [];
    assert.equal(typeof JSON.parse(key), "string", line);
    if (value !== "") JSON.parse(value);
  }
  return lines.map((line) => line.trim());
}

describe("compose.yaml", () => {
  test("quotes everything, also characters that YAML refuses", async () => {
    const application = shop({ publish: { env: { GREETING: 'a: "b"\n$X \u0085 #' }, secrets: ["API_TOKENS"] } });
    const [service] = application.services;
    assert.ok(service);
    service.env["A\n    privileged: true\n    b"] = "x";
    const lines = await printLines(application);
    assert.ok(!lines.some((line) => /^.?privileged/.test(line)));
    assert.ok(lines.includes(String.raw`"GREETING": "a: \"b\"\n$$X \u0085 #"`), lines.join("\n"));
    assert.match(lines.join("\n"), /^"API_TOKENS": "\$\{API_TOKENS:\?must be set\}"$/m);
  });

  test("has volumes for services that keep data, and for no others", async () => {
    const volumes = async (application: Application) =>
      (await printLines(application)).filter((line) => /^"(volumes": \[|[a-z0-9-]+": \{)/.test(line));
    assert.deepEqual(await volumes(shop()), ['"volumes": ["shop-data:/app/data"]', '"shop-data": {}']);
    assert.deepEqual(await volumes(shop({ database: "postgres" })), []);
    const env = { DATABASE_URL: "postgres://shop@database/shop" };
    assert.deepEqual(await volumes(shop({ publish: { env } })), []);
    const images = {
      a: "localhost:1/postgres:17.2",
      b: "localhost:1/x/postgres:18-alpine",
      c: "localhost:1/mongo",
      d: "localhost:1/x",
    };
    const services = Object.fromEntries(Object.entries(images).map(([name, image]) => [name, { image, port: 80 }]));
    assert.deepEqual((await volumes(shop({ services }))).slice(0, 3), [
      '"volumes": ["a-data:/var/lib/postgresql/data"]',
      '"volumes": ["b-data:/var/lib/postgresql"]',
      '"volumes": ["c-data:/data/db"]',
    ]);
  });

  test("is not written through a link", async () => {
    const { folder } = shop();
    const elsewhere = join(temporaryFolder(), "target");
    assert.equal((await runDory(folder, ["compose"])).code, 0);
    const made = readFileSync(join(folder, "compose.yaml"), "utf8");
    assert.equal((await runDory(folder, ["compose"])).code, 0);
    const other = shop().folder;
    for (const content of [undefined, made]) {
      if (content !== undefined) writeFileSync(elsewhere, content.replace("shop", "mine"));
      else symlinkSync(elsewhere, join(other, "compose.yaml"));
      assert.match((await runDory(other, ["compose"])).stderr, /\(compose_exists\)/);
    }
    assert.ok(lstatSync(join(other, "compose.yaml")).isSymbolicLink());
    assert.match(readFileSync(elsewhere, "utf8"), /mine/);
  });
});
