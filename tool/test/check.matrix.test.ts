import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { apiTokens, tokens } from "../../backend/kit/suite/auth/tokens.ts";
import { corsOrigins } from "../../backend/kit/suite/cors/origins.ts";
import { operationsIn, resourcesIn } from "../../backend/kit/suite/document.ts";
import { findFeatures } from "../../backend/kit/suite/features.ts";
import { webhookSecrets } from "../../backend/kit/suite/webhooks/senders.ts";
import { Wire } from "../../backend/kit/suite/wire.ts";
import { Backend } from "../../backend/kit/test/backend.ts";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { earlier, later } from "../../backend/test/support/matrix.ts";
import { checkBackend } from "../src/check.ts";
import { explainFailure, fetchText } from "../src/fetch-text.ts";
import { mask } from "../src/mask.ts";
import { hostileServer } from "./hostile.ts";
import { buildWithoutPackages, project, repository, run, start, temporaryFolder, writeOut } from "./support.ts";

const openApi = join(repository, "backend/openapi.json");

const limits = { HEADERS_TIMEOUT_MS: "8000", REQUEST_TIMEOUT_MS: "8000" };

describe("dory check, of a backend with every feature", () => {
  let backend: Backend;
  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile(), ...limits });
  });
  after(() => backend.stop());

  const env = { ...apiTokens, ...corsOrigins };
  const isHandled = (line: string) => line.includes("webhook handled");

  test("without secrets runs the checks that need none, also through TLS", { skip: later }, async () => {
    const { key, cert } = await certificate();
    using secure = await startTlsProxy(backend.url, { key: readFileSync(key), cert: readFileSync(cert) });
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: cert };
    const { checks } = await check(trusting, `https://localhost:${secure.port}`, "--openapi", openApi);
    // On a busy machine, an answer to an incomplete request may get lost in the proxy.
    const arrived = checks.filter(({ check }: { check: string }) => check !== "headers over 16 KiB are 431");
    assert.equal(faultsIn(arrived), "[]");
    assert.ok(checks.length > 100, `${checks.length} checks`);
    // Without the secrets, no event is accepted and handled.
    assert.ok(!backend.logged.some(isHandled));
  });

  test("runs all checks", { skip: earlier }, async () => {
    const { ok, checks } = await check({ ...env, ...webhookSecrets }, backend.url, "--openapi", openApi);
    assert.ok(ok, faultsIn(checks));
    assert.ok(checks.every(({ skipped }: { skipped?: string }) => skipped === undefined));
    assert.ok(backend.logged.some(isHandled));
  });

  test("reports that a token is required", { skip: earlier }, async () => {
    assert.equal((await check(corsOrigins, backend.url)).code, "token_missing");
  });

  for (const token of ["wrong", "", "two words", "ü", "line\nbreak"])
    test(`reports that a token is refused: ${JSON.stringify(token)}`, { skip: earlier }, async () => {
      const { code, message } = await check({ API_TOKENS: token }, backend.url);
      assert.equal(code, "token_refused");
      assert.ok(token === "" || !message.includes(`"${token}"`));
    });

  test("asks for the origins, which it cannot know", { skip: earlier }, async () => {
    assert.equal((await check(apiTokens, backend.url, "--openapi", openApi)).code, "origins_missing");
  });
});

describe("dory check, with a document whose paths name another host,", () => {
  for (const path of ["//127.0.0.1:9/items", "/\\127.0.0.1:9/items", "/\t/127.0.0.1:9/items", "@127.0.0.1:9/items", ""])
    test(`sends nothing: ${JSON.stringify(path)}`, () => {
      const { "/items": items } = JSON.parse(readFileSync(openApi, "utf8")).paths;
      const document = { paths: { [path]: items } };
      assert.deepEqual([resourcesIn(document), operationsIn(document)], [[], []]);
      const file = join(temporaryFolder(), "openapi.json");
      writeFileSync(file, JSON.stringify(document));
      return assert.rejects(
        checkBackend({ url: "http://127.0.0.1:9", openapi: file }, {}),
        /Paths begin with one slash/,
      );
    });
});

const timeouts = { headersTimeout: 1000, requestTimeout: 1000, connectionsCheckingInterval: 200 };

describe("dory check, of a server that echoes its requests,", () => {
  const secrets = Object.values(webhookSecrets).flatMap((list) => list.split(","));
  const pieces = [...tokens, ...secrets].flatMap((token) => [
    token.slice(1, 20),
    token.toUpperCase(),
    token.slice(-12),
  ]);

  test("shows no token", { skip: earlier }, async () => {
    const server = createServer(timeouts, ({ rawHeaders, url }, res) => res.end(JSON.stringify({ rawHeaders, url })));
    using echo = await listening(server);
    const env = { ...apiTokens, ...corsOrigins, ...webhookSecrets };
    const { ok, checks } = await check(env, `http://127.0.0.1:${echo.port}`, "--openapi", openApi);
    const text = JSON.stringify(checks);
    assert.ok(!ok && text.includes("***"));
    for (const piece of pieces) assert.ok(!text.includes(piece), piece);
  });

  test("shows no piece of a token", () => {
    assert.equal(mask("Bearer abcdefgh-12345678, not abc", ["abcdefgh-12345678"]), "Bearer ***, not abc");
    assert.equal(mask("cut off: bcdefgh-1", ["abcdefgh-12345678"]), "cut off: ***");
    assert.equal(mask("87654321-HGFEDCBA", ["abcdefgh-12345678"]), "***");
    assert.equal(mask("short: abc", ["abc", ""]), "short: ***");
  });
});

describe("dory check, of a server whose answers do not end,", () => {
  test("reads only the beginning of them", async () => {
    using server = await hostileServer();
    const wire = new Wire(server.url).send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await assert.rejects(wire.reply(), ({ message }) => /more than \d+ bytes/.test(message) && message.length < 2000);
  });

  test("does not wait for the end of one", async () => {
    using server = await hostileServer();
    assert.equal((await fetchText(server.url, {}, { mostBytes: 1 })).status, 200);
    const silent = createServer(() => {});
    using listener = await listening(silent);
    const asked = fetchText(`http://127.0.0.1:${listener.port}`, {}, { timeoutMs: 50 });
    await assert.rejects(asked, (error) => explainFailure(error) === "no answer in time");
    silent.closeAllConnections();
  });
});

describe("dory check, of a server that refuses all requests by a rate limit,", () => {
  test("says that nothing was checked, and why", { skip: later }, async () => {
    const server = createServer(timeouts, (_req, res) => res.writeHead(429, { "Retry-After": "60" }).end());
    using limited = await listening(server);
    const { ok, checks } = await check({ ...apiTokens, ...corsOrigins }, `http://127.0.0.1:${limited.port}`);
    assert.equal(ok, false);
    assert.match(checks[0].skipped, /^The backend's rate limit refuses requests \(429\), for 60 s\./);
  });
});

describe("dory check, of a project", () => {
  const written = (features: string[]) =>
    writeOut(project({ framework: "hono", database: "sqlite", fields: ["live:boolean"], features }));

  for (const features of [["auth", "cors"], ["auth"], ["cors"], []])
    test(`knows the features of the project from its openapi.json: ${features.join() || "no feature"}`, () => {
      const document = JSON.parse(readFileSync(join(written(features), "openapi.json"), "utf8"));
      assert.deepEqual(findFeatures(document), features);
    });

  test("runs them, as its dory.json says", { skip: later }, async () => {
    const folder = written(["cors"]);
    await buildWithoutPackages(folder);
    using backend = await start(folder, { ...limits, DATABASE_URL: await newSqliteFile() });
    const { ok, checks } = await check(corsOrigins, backend.url, "--openapi", join(folder, "dory.json"));
    assert.ok(ok, faultsIn(checks));
  });
});

function faultsIn(checks: { check: string; fault?: string }[]): string {
  return JSON.stringify(checks.filter(({ fault }) => fault !== undefined));
}

// biome-ignore lint/suspicious/noExplicitAny: a result or a fault
function check(env: NodeJS.Dict<string>, ...args: string[]): Promise<any> {
  const dory = join(repository, "tool/bin/dory.js");
  const cache = { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] };
  return new Promise((resolve) =>
    execFile(process.execPath, [dory, "check", ...args, "--json"], { env: { ...cache, ...env } }, (_error, stdout) =>
      resolve(JSON.parse(stdout)),
    ),
  );
}

/** The paths of a new key and of its certificate, for localhost. */
async function certificate(): Promise<{ key: string; cert: string }> {
  const folder = temporaryFolder();
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  await run(folder, "openssl", "req", ...kind, "-keyout", key, "-out", cert, ...subject);
  return { key, cert };
}

/** Like a load balancer: TLS to the client, none to the backend. */
function startTlsProxy(url: string, options: TlsOptions) {
  const server = createTlsServer({ ...options, allowHalfOpen: true, noDelay: true }, (socket) => {
    const inner = connect({ port: Number(new URL(url).port), host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    socket.on("error", () => inner.destroy()).pipe(inner);
    // Answers that were sent before still arrive.
    inner.on("error", () => socket.end()).pipe(socket);
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
