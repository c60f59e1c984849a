import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { apiTokens, tokens } from "../../backend/test/conformance/auth/tokens.ts";
import { corsOrigins } from "../../backend/test/conformance/cors/origins.ts";
import { Backend } from "../../backend/test/support/backend.ts";
import { newSqliteFile } from "../../backend/test/support/sqlite.ts";
import { mask } from "../src/mask.ts";
import { build, project, repository, run, start, temporaryFolder, writeOut } from "./support.ts";

const openApi = join(repository, "backend/openapi.json");

describe("dory check, of a backend with every feature", () => {
  let backend: Backend;

  const startBackend = async () => {
    const limits = { HEADERS_TIMEOUT_MS: "3000", REQUEST_TIMEOUT_MS: "4000" };
    return Backend.start({ DATABASE_URL: await newSqliteFile(), ...limits });
  };
  before(async () => {
    backend = await startBackend();
  });
  after(() => backend.stop());

  test("checks it against the whole contract", async () => {
    const folder = temporaryFolder();
    const files = project({ framework: "hono", features: ["auth", "cors"] });
    for (const name of ["dory.json", "openapi.json"]) writeFileSync(join(folder, name), files.get(name) ?? "");
    const env = { ...apiTokens, ...corsOrigins };
    // Each has a backend of its own: two that create the same items at once take them for doubles.
    const others = await Promise.all([startBackend(), startBackend()]);
    using stack = new DisposableStack();
    for (const other of others) stack.use(other);
    const [fromOpenApi, fromDoryJson, withoutCors] = await Promise.all([
      check(env, backend.url, "--openapi", openApi),
      check(env, others[0].url, "--openapi", join(folder, "dory.json")),
      check(apiTokens, others[1].url),
    ]);
    for (const { ok, checks } of [fromOpenApi, fromDoryJson]) assert.ok(ok, faultsIn(checks));
    assert.deepEqual(fromOpenApi.checks, fromDoryJson.checks);
    assert.ok(withoutCors.ok && withoutCors.checks.length < fromOpenApi.checks.length);
  });

  test("says that a token is required, though none was given", async () => {
    assert.equal((await check(corsOrigins, backend.url)).code, "token_missing");
  });

  for (const token of ["wrong", "", "two words", "ü", "line\nbreak"])
    test(`says that a token is refused: ${JSON.stringify(token)}`, async () => {
      const { code, message } = await check({ API_TOKENS: token }, backend.url);
      assert.equal(code, "token_refused");
      assert.ok(token === "" || !message.includes(`"${token}"`));
    });

  test("asks for the origins that it cannot know", async () => {
    assert.equal((await check(apiTokens, backend.url, "--openapi", openApi)).code, "origins_missing");
  });
});

test("dory check speaks TLS", async () => {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const files = ["-keyout", key, "-out", cert];
  await run(
    folder,
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    ...files,
    ...subject,
  );
  const limits = { HEADERS_TIMEOUT_MS: "3000", REQUEST_TIMEOUT_MS: "4000" };
  using backend = await Backend.start({ DATABASE_URL: await newSqliteFile(), ...limits });
  using secure = await inFrontOf(backend.url, { key: readFileSync(key), cert: readFileSync(cert) });
  const { ok, checks } = await check({ ...apiTokens, NODE_EXTRA_CA_CERTS: cert }, `https://localhost:${secure.port}`);
  assert.ok(ok, faultsIn(checks));
});

describe("dory check, of what repeats the requests it gets,", () => {
  const pieces = tokens.flatMap((token) => [token.slice(1, 20), token.toUpperCase(), token.slice(-12)]);

  test("tells no token", async () => {
    const timeouts = { headersTimeout: 1000, requestTimeout: 1000, connectionsCheckingInterval: 200 };
    const server = createServer(timeouts, ({ rawHeaders, url }, res) => res.end(JSON.stringify({ rawHeaders, url })));
    using echo = await listening(server);
    const env = { ...apiTokens, ...corsOrigins };
    const { ok, checks } = await check(env, `http://127.0.0.1:${echo.port}`, "--openapi", openApi);
    const text = JSON.stringify(checks);
    assert.ok(!ok && text.includes("***"));
    for (const piece of pieces) assert.ok(!text.includes(piece), piece);
  });

  test("tells no piece of one", () => {
    assert.equal(mask("Bearer abcdefgh-12345678, not abc", ["abcdefgh-12345678"]), "Bearer ***, not abc");
    assert.equal(mask("cut off: bcdefgh-1", ["abcdefgh-12345678"]), "cut off: ***");
    assert.equal(mask("87654321-HGFEDCBA", ["abcdefgh-12345678"]), "***");
    assert.equal(mask("short: abc", ["abc", ""]), "short: ***");
  });
});

describe("dory check, of a project", { concurrency: 3 }, () => {
  for (const features of [[], ["auth"], ["cors"]])
    test(`with ${features.join() || "no feature"}`, async () => {
      const folder = writeOut(project({ framework: "hono", database: "sqlite", fields: ["live:boolean"], features }));
      await build(folder);
      const limits = { HEADERS_TIMEOUT_MS: "3000", REQUEST_TIMEOUT_MS: "4000" };
      using backend = await start(folder, { ...limits, DATABASE_URL: await newSqliteFile() });
      const env = { ...(features.includes("auth") && apiTokens), ...(features.includes("cors") && corsOrigins) };
      const { ok, checks } = await check(env, backend.url, "--openapi", join(folder, "dory.json"));
      assert.ok(ok, faultsIn(checks));
    });
});

function faultsIn(checks: { check: string; fault?: string }[]): string {
  return JSON.stringify(checks.filter(({ fault }) => fault !== undefined));
}

// biome-ignore lint/suspicious/noExplicitAny: a result or a fault
function check(env: NodeJS.Dict<string>, ...args: string[]): Promise<any> {
  const dory = join(repository, "tool/bin/dory.js");
  return new Promise((resolve) =>
    execFile(process.execPath, [dory, "check", ...args, "--json"], { env }, (_error, stdout) =>
      resolve(JSON.parse(stdout)),
    ),
  );
}

/** What a load balancer does: TLS towards the client, none towards the backend. */
function inFrontOf(url: string, options: TlsOptions) {
  const server = createTlsServer({ ...options, allowHalfOpen: true, noDelay: true }, (socket) => {
    const inner = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const)
      one.on("error", () => other.destroy()).pipe(other);
  });
  return listening(server);
}

async function listening(server: Server) {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.dispose]() {
      server.close();
    },
  };
}
