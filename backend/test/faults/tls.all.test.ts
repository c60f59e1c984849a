import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Client } from "pg";
import { Backend, type Environment, refusal, temporaryFolder } from "../../kit/test/backend.ts";
import { Postgres } from "../../kit/test/postgres.ts";
import { explain, isRefusal } from "../../src/core/store/connection.ts";
import { create } from "../support/client.ts";

const postgres = await Postgres.start();
after(() => postgres.stop());
const folder = temporaryFolder();
const newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2".split(" ");
const [own, other] = [makeAuthority("own"), makeAuthority("other")];

test("a server without TLS is used without it if the URL only prefers TLS, and refused in one line if it requires TLS", async () => {
  const { key, certificate } = makeCertificate("own", "IP:127.0.0.1");
  using backend = await Backend.start({ DATABASE_URL: await urlWith("sslmode=prefer") });
  assert.equal((await create(backend.url, "in plain text")).status, 201);
  await refuses({ DATABASE_URL: await urlWith("sslmode=require") }, /does not support SSL.*sslmode=disable/);
  await writeToServer("server.key", key);
  await writeToServer("server.crt", certificate);
});

describe("a server with TLS", () => {
  before(() => execute("ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()"));

  for (const [parameters, env, isEncrypted] of [
    ["sslmode=require", {}, true],
    ["sslmode=prefer", {}, true],
    ["sslmode=no-verify", {}, true],
    ["sslmode=disable", {}, false],
    ["sslmode=require", { DATABASE_CA: own }, true],
    ["sslmode=verify-ca", { DATABASE_CA: own }, true],
    ["sslmode=verify-full", { DATABASE_CA: `${other}${own}` }, true],
    ["sslmode=verify-full", { DATABASE_CA: own.trim().replaceAll("\n", "\\n") }, true],
    ["sslmode=verify-full", { DATABASE_CA_FILE: join(folder, "own.crt") }, true],
    [`sslmode=verify-full&sslrootcert=${join(folder, "own.crt")}`, {}, true],
    ["", { DATABASE_CA: own }, true],
  ] as const)
    test(`is used ${isEncrypted ? "with" : "without"} it: ${parameters.split("&")[0] || "no sslmode"}, ${Object.keys(env).join() || "no CA"}`, async () => {
      const url = await urlWith(parameters);
      using backend = await Backend.start({ DATABASE_URL: url, ...env });
      assert.equal((await create(backend.url, "Boat")).status, 201);
      assert.deepEqual(await findEncryption(url), [isEncrypted]);
    });

  test("is reached by a name that its certificate does not have, if only its authority is verified", async () => {
    const url = (await urlWith("sslmode=verify-ca")).replace("127.0.0.1", "localhost");
    using backend = await Backend.start({ DATABASE_URL: url, DATABASE_CA: own });
    assert.equal((await create(backend.url, "Boat")).status, 201);
    const full = url.replace("verify-ca", "verify-full");
    await refuses({ DATABASE_URL: full, DATABASE_CA: own }, /does not match certificate's altnames.*verify-ca/);
  });

  test("whose certificate another authority signed is refused in one line", async () => {
    const DATABASE_URL = await urlWith("sslmode=verify-full");
    await refuses({ DATABASE_URL }, /DATABASE_URL.*certificate.*set DATABASE_CA/);
    await refuses({ DATABASE_URL, DATABASE_CA: other }, /DATABASE_URL.*certificate.*set DATABASE_CA/);
    await refuses({ DATABASE_URL: await urlWith("sslrootcert=system") }, /certificate: set DATABASE_CA/);
    await refuses({ DATABASE_URL: await urlWith(""), DATABASE_CA: "system" }, /certificate: set DATABASE_CA/);
    const required = await urlWith("sslmode=require");
    await refuses({ DATABASE_URL: required, DATABASE_CA: other }, /DATABASE_URL.*certificate.*set DATABASE_CA/);
  });
});

test("a bundle with a damaged certificate is refused", () =>
  refuses({ DATABASE_CA: `${own}${other.slice(0, 200)}` }, /^DATABASE_CA must be certificates in PEM/));

test("a certificate that has expired is no reason to trust another authority", () => {
  const expired = Object.assign(new Error("certificate has expired"), { code: "CERT_HAS_EXPIRED" });
  assert.equal(explain(expired), "certificate has expired: give the server a certificate that is valid now");
  assert.ok(isRefusal(expired));
});

async function refuses(env: Environment, expected: RegExp): Promise<void> {
  const { code, stdout, stderr } = await refusal(env);
  assert.deepEqual([code, stdout, stderr.trimEnd().split("\n").length], [1, "", 1], stderr);
  assert.match(stderr, expected);
  assert.doesNotMatch(stderr, /not-a-secret|PRIVATE|BEGIN/);
}

async function urlWith(parameters: string): Promise<string> {
  return `${await postgres.database()}${parameters && "?"}${parameters}`;
}

/** Whether the connections to a database are encrypted: what all of them say, once. */
async function findEncryption(url: string): Promise<boolean[]> {
  const name = new URL(url).pathname.slice(1);
  const text = `
    SELECT DISTINCT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE datname = '${name}'`;
  const [result] = await execute(text);
  return result?.rows.map(({ ssl }) => ssl) ?? [];
}

async function execute(...statements: string[]) {
  const client = new Client(postgres.url);
  await client.connect();
  const results = [];
  for (const statement of statements) results.push(await client.query(statement));
  await client.end();
  return results;
}

/** As the user of the server, into its folder. */
async function writeToServer(name: string, text: string): Promise<void> {
  const lines = `SELECT unnest(string_to_array('${text.trim()}', E'\\n'))`;
  await execute(`COPY (${lines}) TO PROGRAM 'umask 077; cat > ${name}'`);
}

function openssl(...args: string[]): void {
  execFileSync("openssl", args, { cwd: folder, stdio: "ignore" });
}

function makeAuthority(name: string): string {
  openssl("req", "-x509", ...newKey, "-subj", `/CN=${name}`, "-keyout", `${name}.key`, "-out", `${name}.crt`);
  return readFileSync(join(folder, `${name}.crt`), "utf8");
}

function makeCertificate(authority: string, subject: string): { key: string; certificate: string } {
  const signer = ["-CA", `${authority}.crt`, "-CAkey", `${authority}.key`];
  const names = ["-subj", "/CN=database", "-addext", `subjectAltName=${subject}`];
  openssl("req", "-x509", ...newKey, ...signer, ...names, "-keyout", "server.key", "-out", "server.crt");
  const [key = "", certificate = ""] = ["server.key", "server.crt"].map((file) =>
    readFileSync(join(folder, file), "utf8"),
  );
  return { key, certificate };
}
