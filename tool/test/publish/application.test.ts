import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { readApplication } from "../../src/publish/application.ts";
import { createTrial } from "../../src/publish/trial.ts";
import { temporaryFolder } from "../support.ts";

const made = { name: "shop", framework: "hono" };

function read(document: object) {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "dory.json"), JSON.stringify({ ...made, ...document }));
  return readApplication(folder);
}

/** The error message, which never contains the value. */
function refusal(document: object, value = "visibly-fake"): string {
  try {
    read(document);
  } catch (error) {
    const { message, code } = error as Error & { code: string };
    assert.ok(!message.includes(value), message);
    return `${message} (${code})`;
  }
  return "";
}

describe("dory.json is refused", () => {
  test("with a secret under env: by its name, by a password in a URL, by its form", () => {
    const secrets: [string, string][] = [
      ["DATABASE_URL", "postgres://shop:visibly-fake@db.example.com/shop"],
      ["DATABASE_URL", "postgres://db.example.com/shop?user=shop&password=visibly-fake"],
      ["UPSTREAM", "https://visibly-fake@example.com/"],
      ["REDIS", "redis://:visibly-fake@example.com"],
      ...["API_TOKENS", "GITHUB_TOKEN", "WEBHOOK_STRIPE_SECRETS", "SESSION_SECRET", "POSTGRES_PASSWORD"].map(
        (name): [string, string] => [name, "visibly-fake"],
      ),
      ...["STRIPE_API_KEY", "AWS_SECRET_ACCESS_KEY", "password", "SMTP_PASS"].map((name): [string, string] => [
        name,
        "visibly-fake",
      ]),
      ["A", `ghp_${"visiblyfake0".repeat(3)}`],
      ["B", ["sk", "live", "visiblyfakevisiblyfake"].join("_")],
      ["C", `${["-----BEGIN", "PRIVATE KEY-----"].join(" ")}\nvisibly-fake`],
      ["D", `eyJ${"visiblyfake".repeat(2)}.eyJ${"visiblyfake".repeat(2)}.visiblyfake`],
    ];
    for (const [name, value] of secrets) {
      const said = refusal({ publish: { env: { [name]: value } } }, value);
      assert.match(
        said,
        new RegExp(`env\\.${name} looks like a secret.*the list "secrets".*\\(secret_in_env\\)`),
        name,
      );
    }
    const services = { api: { image: "api:1", port: 80, env: { API_TOKEN: "visibly-fake" } } };
    assert.match(refusal({ services }), /service "api", env\.API_TOKEN looks like a secret/);
  });

  test("with names of variables that a file could not hold", () => {
    for (const name of ["A\n    privileged: true\n    x", "A B", "A=B", "A.B", "1A", "", "A]"])
      assert.match(refusal({ publish: { env: { [name]: "x" } } }), /of "env" cannot name a variable/, name);
    assert.match(refusal({ publish: { env: { A: "a\0b" } } }), /env\.A must not contain a NUL/);
    for (const name of ["a\nb", "A", "--help", "a b", "../a"])
      assert.match(refusal({ services: { [name]: { image: "a", port: 80 } } }), /cannot name a project/, name);
  });

  test("with invalid images and registries", () => {
    const image = (image: string) => ({ services: { a: { image, port: 80 } } });
    for (const name of ["--help", "-v", "", "a b", "a/B", "a:", "https://a/b", "a@sha256:1", "a\nb", "a//b"])
      assert.match(refusal(image(name)), /"image" that is not an image/, name);
    const digest = `@sha256:${"0".repeat(64)}`;
    for (const name of [
      "postgres:18",
      "caddy",
      `a/b/c:1.2-x${digest}`,
      "localhost:5000/a",
      "[::1]:5000/a",
      "R.example.com/a",
    ])
      assert.equal(read(image(name)).services[0]?.image, name);
    for (const registry of ["https://registry.example.com", "--help", "a b", ""])
      assert.match(refusal({ publish: { registry } }), /is not a registry.*\(registry\)/, registry);
    assert.equal(
      read({ publish: { registry: "registry.example.com:5000/team" } }).registry,
      "registry.example.com:5000/team",
    );
  });

  test("with invalid services of an application, and names them", () => {
    const service = (more: object) => ({ framework: undefined, services: { api: { framework: "hono", ...more } } });
    assert.match(refusal(service({ port: 80 })), /^In the service "api": There is no part of a request "port"/);
    assert.match(refusal(service({ framework: "hno" })), /^In the service "api": .*Did you mean hono\?/);
    assert.match(refusal(service({ secrets: "A" })), /^In service "api", "secrets" is a list/);
  });

  test("but not with variables that are not secrets", () => {
    const env = {
      LOG_LEVEL: "warn",
      MAX_TOKENS: "4096",
      REQUIRE_TOKEN: "true",
      API_TOKENS_FILE: "/run/secrets/tokens",
      UPSTREAM: "https://example.com/a?b=c@d",
      DATABASE_URL: "postgres://shop@db.example.com/shop",
      GIT: "https://git@example.com/a.git",
      REVISION: "41a287e541a287e541a287e541a287e541a287e5",
      EMPTY_PASSWORD: "",
    };
    assert.deepEqual(read({ publish: { env } }).services[0]?.env, env);
  });
});

describe("a trial", () => {
  const [service] = read({ database: "postgres", publish: { env: { LOG_LEVEL: "warn" } } }).services;
  assert.ok(service);
  assert.ok(service.request);
  const sqlite = { ...service, request: { ...service.request, database: "both" as const } };
  const real = "postgres://shop:visibly-fake@db.example.com/shop";

  test("has its own database and tokens, whatever is set", () => {
    for (const [env, secrets] of [
      [{}, { DATABASE_URL: real, API_TOKENS: "visibly-fake" }],
      [{ DATABASE_URL: "postgres://shop@db.example.com/shop" }, { API_TOKENS: "visibly-fake" }],
    ] as [Record<string, string>, Record<string, string>][]) {
      const trial = createTrial({ ...service, env }, secrets);
      assert.equal(trial.env["DATABASE_URL"], undefined);
      assert.match(trial.secrets["DATABASE_URL"] ?? "", /^postgres:\/\/postgres:[0-9a-f]{48}@database:5432\/postgres$/);
      assert.match(trial.secrets["API_TOKENS"] ?? "", /^[0-9a-f]{48}$/);
      const file = createTrial({ ...sqlite, env }, secrets);
      assert.equal(file.env["DATABASE_URL"], undefined);
      assert.equal(file.secrets["DATABASE_URL"], "file:./data/items.db");
      assert.equal(file.databasePassword, undefined);
    }
    assert.deepEqual(createTrial(sqlite, {}), { env: { LOG_LEVEL: "warn" }, secrets: {}, replaced: [] });
  });

  test("has stand-ins for URLs with credentials and of databases, and other values unchanged", () => {
    const env = { CACHE: "redis://cache.example.com/1", ORIGIN: "https://example.com/a" };
    const secrets = { STRIPE: "visibly-fake", QUEUE: "amqps://a:b@one.example.com/x?key=1,amqp://two.example.com/x" };
    assert.deepEqual(createTrial({ ...sqlite, env }, secrets), {
      env: { CACHE: "redis://trial:trial@trial.invalid/1", ORIGIN: "https://example.com/a" },
      secrets: {
        STRIPE: "visibly-fake",
        QUEUE: "amqps://trial:trial@trial.invalid/x,amqp://trial:trial@trial.invalid/x",
      },
      replaced: ["CACHE", "QUEUE"],
    });
  });
});
