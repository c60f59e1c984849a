import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { describe, test } from "node:test";
import { apiTokens } from "../../kit/suite/auth/tokens.ts";
import { corsOrigins } from "../../kit/suite/cors/origins.ts";
import { senders, webhookSecrets } from "../../kit/suite/webhooks/senders.ts";
import { Backend, type Environment, refusal, temporaryFolder } from "../../kit/test/backend.ts";
import { newPostgresDatabases } from "../../kit/test/postgres.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import { readConfig } from "../../src/config.ts";
import { frameworks } from "../../src/frameworks/names.ts";
import { create, get } from "../support/client.ts";

const newPostgresDatabase = await newPostgresDatabases();

const secret = "visibly-fake-secret";
const folder = temporaryFolder();

test("every fault is reported at once, by name and without a secret", async () => {
  const lines = await faults({
    PORT: "65536",
    HOST: " ",
    FRAMEWORK: "rails",
    LOG_LEVEL: "loud",
    API_TOKENS: `${secret}-that-is-long-enough,${secret}`,
    CORS_ORIGINS: `https://${secret}.example/`,
    DATABASE_URL: `mysql://user:${secret}@localhost/items`,
    BODY_LIMIT_BYTES: "0",
    HEADERS_TIMEOUT_MS: "1.5",
    REQUEST_TIMEOUT_MS: "-1",
    HANDLER_TIMEOUT_MS: "10s",
    KEEP_ALIVE_MS: "",
    DRAIN_DELAY_MS: "99999999999",
    SHUTDOWN_TIMEOUT_MS: "0x10",
  });
  assert.deepEqual(lines.map((line) => line.split(" ", 1)[0]).sort(), [
    "API_TOKENS",
    "BODY_LIMIT_BYTES",
    "CORS_ORIGINS",
    "DATABASE_URL",
    "DRAIN_DELAY_MS",
    "FRAMEWORK",
    "HANDLER_TIMEOUT_MS",
    "HEADERS_TIMEOUT_MS",
    "HOST",
    "KEEP_ALIVE_MS",
    "LOG_LEVEL",
    "PORT",
    "REQUEST_TIMEOUT_MS",
    "SHUTDOWN_TIMEOUT_MS",
  ]);
  for (const framework of frameworks)
    assert.match(lines.join("\n"), new RegExp(`^FRAMEWORK .*\\b${framework}\\b`, "m"));
});

describe("one clear line reports", () => {
  test("a variable that is set but blank", () => refuses({ PORT: "  " }, /^PORT is set but blank$/));

  test("a variable and its file that are both set", () =>
    refuses({ DATABASE_URL: `file:${secret}`, DATABASE_URL_FILE: fileWith(secret) }, /DATABASE_URL_FILE.*both set/));

  test("a file for a variable that cannot be read", () =>
    refuses({ DATABASE_URL_FILE: join(folder, "missing") }, /^DATABASE_URL .*_FILE.*ENOENT/));

  test("a file for a variable that is a folder", () =>
    refuses({ LOG_LEVEL_FILE: folder }, /^LOG_LEVEL .*_FILE.*EISDIR/));

  test("a file for a variable that is blank", () =>
    refuses({ LOG_LEVEL_FILE: fileWith("\n") }, /^LOG_LEVEL is set but blank$/));

  test("a secret of the wrong kind in a file", () =>
    refuses(
      { DATABASE_URL_FILE: fileWith(`mysql://user:${secret}@localhost/items\n`) },
      /^DATABASE_URL must be a URL/,
    ));

  test("tokens that are missing", () => refuses({ API_TOKENS: undefined }, /^API_TOKENS is required$/));

  test("origins that are missing", () => refuses({ CORS_ORIGINS: undefined }, /^CORS_ORIGINS is required$/));

  test("secrets of webhooks that are missing, all of them", () => {
    const unset = Object.fromEntries(Object.keys(webhookSecrets).map((name) => [name, undefined]));
    const expected = Object.keys(webhookSecrets).map((name) => `${name} is required`);
    assert.deepEqual(readFaults(unset), expected);
  });

  for (const [name, sender] of Object.entries(senders))
    test(`a secret that ${name} would not have`, () =>
      refuses(
        { [sender.variable]: `${sender.fakes[0]},${secret.slice(0, 10)}` },
        new RegExp(`^${sender.variable} must list .*secrets.*number 2 is not one$`),
      ));

  const token = `${secret}-that-is-long-enough`;
  for (const [fault, tokens] of Object.entries({
    "blank, between others": `${token},,${token}`,
    "blank, after others": `${token},`,
    short: `${token},${secret}`,
    "two words": `${token},${token} ${secret}`,
    "after a blank": `${token}, ${token}`,
    quoted: `${token},"${token}"`,
  }))
    test(`a token that is ${fault}`, () =>
      refuses({ API_TOKENS: tokens }, /^API_TOKENS must list tokens of at least 32 .*; number 2 is not one$/));

  test("a token in a file that is short", () =>
    refuses({ API_TOKENS: undefined, API_TOKENS_FILE: fileWith(`${secret}\n`) }, /^API_TOKENS .*number 1 is not one$/));

  for (const origin of ["*", "null", `https://${secret}.example/`, "https://App.example", "app.example", ""])
    test(`the origin "${origin.replace(secret, "…")}"`, () =>
      refuses(
        { CORS_ORIGINS: `https://app.example,${origin}` },
        /^CORS_ORIGINS must list origins .*number 2 is not one$/,
      ));

  for (const [fault, url] of Object.entries({
    "no URL": secret,
    "a PostgreSQL URL with a port that is not a number": `postgres://user:${secret}@localhost:port/items`,
    "a PostgreSQL URL with a missing certificate": `postgres://user:${secret}@localhost/items?sslrootcert=/missing`,
    "a file URL with a host": `file://host/${secret}`,
  }))
    test(`a database URL that is ${fault}`, () => reports({ DATABASE_URL: url }, /DATABASE_URL/));

  for (const [query, expected] of Object.entries({
    "sslmode=verify": /^DATABASE_URL has an unknown sslmode; use one of disable, .*verify-full$/,
    "sslmode=verify-ca": /^DATABASE_URL has sslmode=verify-ca, which needs DATABASE_CA/,
    "sslmode=require&sslrootcert=system": /^DATABASE_URL has sslrootcert=system, which needs sslmode=verify-full$/,
    "sslnegotiation=banana": /^DATABASE_URL has an unknown sslnegotiation; use postgres or direct$/,
    [`sslrootcert=${fileWith("no")}`]: /^DATABASE_URL names a file in sslrootcert that is not certificates in PEM$/,
    [`sslcert=${fileWith("no")}`]: /^DATABASE_URL names a file in sslcert that is not certificates in PEM$/,
    [`sslkey=${fileWith("no")}`]: /^DATABASE_URL names a file in sslkey that is not a private key without a passphrase/,
    "sslrootcert=/missing": /^DATABASE_URL names a file in sslrootcert that cannot be read \(ENOENT\)$/,
  }))
    test(`a PostgreSQL URL with ${query}`, () =>
      refuses({ DATABASE_URL: `postgres://user:${secret}@localhost/items?${query}` }, expected));

  for (const [url, expected] of Object.entries({
    [`postgres://user:${secret}@localhost/items?sslMode=verify-full`]: /^DATABASE_URL has an unknown parameter for TLS/,
    [`postgres://user:${secret}@localhost/items?ssl_mode=require`]: /^DATABASE_URL has an unknown parameter for TLS/,
    [`postgres://user:${secret}/x@localhost:1/items`]: /^DATABASE_URL has a \/ or @ in its password/,
    [`postgres://user:p@${secret}/w:r?&@127.0.0.1:1/items`]: /^DATABASE_URL has a \/ or @ in its password/,
    [`postgres://user:${secret}@one:1,two:2/items`]: /^DATABASE_URL has several hosts; name one of them$/,
    [`postgres://user:${secret}@localhost/d%b`]: /^DATABASE_URL has a malformed % in the name of its database/,
  }))
    test(`a PostgreSQL URL that would be read as another: ${url.replaceAll(secret, "…")}`, () =>
      refuses({ DATABASE_URL: url }, expected));

  // Only the fault itself is reported.
  const verified = `postgres://user:${secret}@localhost/items?sslmode=verify-ca`;
  const { publicKey: key } = generateKeyPairSync("ed25519");
  for (const [fault, ca] of Object.entries({
    text: secret,
    "a key": String(key.export({ type: "spki", format: "pem" })),
    "a certificate without its contents": "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----",
  }))
    test(`a DATABASE_CA that is ${fault}`, () =>
      refuses(
        { DATABASE_CA: ca, DATABASE_URL: verified },
        /^DATABASE_CA must be certificates in PEM, or the word system$/,
      ));

  test("a pool without connections", () =>
    refuses({ DATABASE_POOL_SIZE: "0" }, /^DATABASE_POOL_SIZE must be a whole number from 1 to/));

  test("a SQLite file that cannot be created", () =>
    reports(
      { DATABASE_URL: `file:${join(fileWith("a file, not a folder"), "items.db")}` },
      /SQLite file.*DATABASE_URL/,
    ));

  test("a SQLite path that is a folder", () =>
    reports({ DATABASE_URL: `file:${folder}` }, /SQLite file.*DATABASE_URL/));

  test("a file that is not a SQLite database", () =>
    reports({ DATABASE_URL: `file:${fileWith("no database".repeat(1000))}` }, /SQLite file.*not a database/));

  test("a PostgreSQL that refuses the password", async () => {
    const url = new URL(await newPostgresDatabase());
    url.password = secret;
    await reports({ DATABASE_URL: url.href }, /DATABASE_URL.*password authentication failed/);
  });

  test("a PostgreSQL that requires a password", async () => {
    const url = new URL(await newPostgresDatabase());
    url.password = "";
    await reports({ DATABASE_URL: url.href }, /DATABASE_URL.*password/);
  });

  test("a search path that leads to no schema", async () => {
    const url = await newPostgresDatabase();
    await reports(
      { DATABASE_URL: `${url}?options=-c%20search_path%3Dnope` },
      /^The database of DATABASE_URL .*no schema has been selected.*: let the search_path .* name one that exists$/,
    );
  });

  test("a PostgreSQL database that does not exist", async () => {
    const url = new URL("/missing", await newPostgresDatabase());
    await reports({ DATABASE_URL: url.href }, /DATABASE_URL.*"missing" does not exist/);
  });

  test("a port that is in use", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await reports(
      { DATABASE_URL: await newSqliteFile(), PORT: String(port) },
      new RegExp(`PORT ${port}: .*in use`, "i"),
    );
    server.close();
  });

  test("a host that this machine does not have", async () =>
    reports({ DATABASE_URL: await newSqliteFile(), HOST: "203.0.113.1" }, /HOST.*203\.0\.113\.1/));
});

test("a variable may come from a file, with or without a line break at its end", async () => {
  const url = await newSqliteFile();
  for (const end of ["", "\n", "\r\n"]) {
    using backend = await Backend.start({
      DATABASE_URL_FILE: fileWith(url + end),
      FRAMEWORK_FILE: fileWith(`koa${end}`),
    });
    assert.equal((await create(backend.url, "kept")).status, 201);
  }
  using backend = await Backend.start({ DATABASE_URL: url });
  assert.equal((await get(backend.url, "/items")).body.items?.length, 3);
});

test("tokens may come from a file", async () => {
  using backend = await Backend.start({
    DATABASE_URL: await newSqliteFile(),
    API_TOKENS: undefined,
    API_TOKENS_FILE: fileWith(`${secret}-that-is-long-enough\n`),
  });
  const headers = { Authorization: `Bearer ${secret}-that-is-long-enough` };
  assert.equal((await get(backend.url, "/items", headers)).status, 200);
  assert.equal((await get(backend.url, "/items")).status, 401);
});

async function reports(env: Environment, expected: RegExp): Promise<void> {
  isOnly(await faults(env), expected);
}

/** The same for what is read before anything is opened: in this process, which takes a hundredth of the time. */
function refuses(env: Environment, expected: RegExp): void {
  isOnly(readFaults(env), expected);
}

function isOnly(lines: string[], expected: RegExp): void {
  assert.equal(lines.length, 1, lines.join("\n"));
  assert.match(lines[0] ?? "", expected);
}

function readFaults(env: Environment): string[] {
  try {
    readConfig({ ...apiTokens, ...corsOrigins, ...webhookSecrets, ...env });
  } catch (error) {
    const { message } = error as Error;
    assert.doesNotMatch(message, new RegExp(secret));
    return message.split("\n");
  }
  return [];
}

/** Starts a backend that cannot run; resolves with the lines that it prints. */
async function faults(env: Environment): Promise<string[]> {
  const { code, stdout, stderr } = await refusal(env);
  assert.doesNotMatch(stdout + stderr, new RegExp(`${secret}|^ +at `, "m"));
  assert.equal(code, 1);
  assert.equal(stdout, "");
  return stderr.trimEnd().split("\n");
}

function fileWith(text: string): string {
  const path = join(mkdtempSync(join(folder, "file-")), "value");
  writeFileSync(path, text);
  return path;
}
