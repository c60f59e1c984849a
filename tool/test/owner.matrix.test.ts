import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { apiTokens, credentials, tokens } from "../../backend/kit/suite/auth/tokens.ts";
import { corsOrigins, origins } from "../../backend/kit/suite/cors/origins.ts";
import { selectChecks } from "../../backend/kit/suite/index.ts";
import { defaults } from "../../backend/kit/suite/suite.ts";
import { Backend } from "../../backend/kit/test/backend.ts";
import { eventually } from "../../backend/kit/test/eventually.ts";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { frameworks as all, isInThisRun } from "../../backend/test/support/matrix.ts";
import { runChecks } from "../src/checks.ts";
import { writeInGroups } from "./groups.ts";
import { describe as describeProject } from "./openapi/describe.ts";
import { lint } from "./openapi/lint.ts";
import type { Extension } from "./owner/extension.ts";
import { addExampleFeature, addExampleField, addExampleMiddleware, extend, followReadme } from "./owner/project.ts";
import { build, project } from "./support.ts";

const frameworks = all.filter((name) => isInThisRun(name === "hono"));

/** The folders of the projects, by framework. */
const folders = new Map<string, string>();

describe("the owner of a project", { concurrency: 3 }, () => {
  before(makeProjects);

  for (const framework of frameworks)
    describe(`in ${framework}`, { concurrency: 1, timeout: 240_000 }, () => owns(framework));
});

test(`a linter finds nothing in openapi.json after that: ${frameworks.join(", ")}`, () => lint([...folders.values()]));

function owns(framework: string): void {
  let backend: Backend;
  let folder: string;
  const start = async (env = {}) => {
    const own = ["sh", "-c", `exec "$0" --enable-source-maps ${folder}/dist/main.cjs`];
    const limits = { HEADERS_TIMEOUT_MS: "8000", REQUEST_TIMEOUT_MS: "8000" };
    return Backend.start({ ...limits, DATABASE_URL: await newSqliteFile(), ...apiTokens, ...corsOrigins, ...env }, own);
  };

  before(async () => {
    folder = folders.get(framework) ?? "";
    await build(folder);
    backend = await start();
  });
  after(() => backend?.[Symbol.dispose]());

  const ask = async (
    method: string,
    path: string,
    init: { body?: string; type?: string | null; headers?: Record<string, string> } = {},
  ) => {
    const { body, type = "application/json", headers = credentials } = init;
    const kind: Record<string, string> = body === undefined || type === null ? {} : { "Content-Type": type };
    const response = await fetch(backend.url + path, {
      method,
      headers: { ...kind, ...headers },
      ...(body !== undefined && { body }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith("{") ? JSON.parse(text) : undefined,
    };
  };
  const expectProblem = async (status: number, code: string, ...asked: Parameters<typeof ask>) => {
    const answer = await ask(...asked);
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.headers.get("content-type") ?? "", /^application\/problem\+json/);
    assert.equal(answer.json.code, code, answer.text);
    assert.equal(answer.json.requestId, answer.headers.get("x-request-id"));
    assert.doesNotMatch(answer.text, /inner secret|node_modules/);
    return answer;
  };

  /** Log lines may arrive shortly after the answer. */
  const expectLogged = (line: RegExp, message = `${line} to be logged`) =>
    eventually(() => backend.logged.some((one) => line.test(one)), message);

  test("reads a parameter, also one that is encoded", async () => {
    for (const [sent, name] of [
      ["jose", "jose"],
      ["jos%C3%A9", "josé"],
      ["a%20b", "a b"],
      ["50%25", "50%"],
    ])
      assert.deepEqual((await ask("GET", `/names/${sent}`)).json, { name });
    for (const sent of ["a%2Fb", "%2e%2e", "jo%73e", "%zz", "%ff", "x/", "."])
      await expectProblem(404, "not_found", "GET", `/names/${sent}`);
  });

  test("adds code for every request, as the README shows", async () => {
    for (const path of ["/health", "/names/x", "/items"])
      assert.equal((await ask("GET", path)).headers.get("x-boat"), "dory", path);
  });

  test("adds a feature, as the README shows", async () => {
    for (const path of ["/health", "/names/x", "/nowhere"])
      assert.equal((await ask("GET", path)).headers.get("x-shop"), "boats", path);
    using closed = await start({ CLOSED: "yes" });
    assert.equal((await fetch(`${closed.url}/health`)).status, 200);
    const refused = await fetch(`${closed.url}/names/x`, { headers: credentials });
    const { code } = (await refused.json()) as { code: string };
    assert.deepEqual([refused.status, code, refused.headers.get("x-shop")], [503, "unavailable", "boats"]);
  });

  test("has tokens required on every route that is not declared public", async () => {
    const headers = {};
    for (const path of ["/names/x", "/forbidden", "/broken", "/limited", "/orders", "/nowhere"])
      await expectProblem(401, "unauthorized", "GET", path, { headers });
    for (const path of ["/notes", "/raw", "/large", "/orders"])
      await expectProblem(401, "unauthorized", "POST", path, { headers, body: "{" });
    await expectProblem(401, "unauthorized", "DELETE", "/names/x", { headers });
    assert.deepEqual((await ask("GET", "/status", { headers })).json, { status: "up" });
  });

  test("has OPTIONS without a token answered by the server: it reaches no handler", async () => {
    for (const headers of [{}, { Authorization: "Bearer wrong" }]) {
      const options = await ask("OPTIONS", "/any", { headers });
      assert.deepEqual([options.status, options.text], [204, ""]);
      assert.match(options.headers.get("allow") ?? "", /^GET, HEAD, POST, PUT, PATCH, DELETE, (.+, )?OPTIONS$/);
      await expectProblem(404, "not_found", "OPTIONS", "/nowhere", { headers });
      await expectProblem(404, "not_found", "OPTIONS", "/ANY", { headers });
      assert.doesNotMatch((await ask("OPTIONS", "/halls/staff", { headers })).text, /staff/);
    }
    const asked = { Origin: origins[0] ?? "", "Access-Control-Request-Method": "PUT" };
    const preflight = await ask("OPTIONS", "/any", { headers: asked });
    assert.equal(preflight.status, 204);
    assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /\bPUT\b/);
    assert.deepEqual((await ask("OPTIONS", "/any")).json, { reached: "any" });
    assert.deepEqual((await ask("PUT", "/any")).json, { reached: "any" });
  });

  test("opens by a public route only what that route takes", async () => {
    const headers = {};
    assert.deepEqual((await ask("GET", "/halls/x", { headers })).json, { hall: true });
    for (const path of ["/halls/staff", "/halls/x", "/status", "/doors/open"])
      for (const method of ["POST", "PUT", "DELETE"])
        await expectProblem(401, "unauthorized", method, path, { headers });
    assert.deepEqual((await ask("PUT", "/halls/staff")).json, { staff: true });
    await expectProblem(405, "method_not_allowed", "PUT", "/health", { headers });
  });

  test("has a public route open beside a parameter that is not, as the router chooses", async () => {
    const headers = {};
    assert.deepEqual((await ask("GET", "/doors/open", { headers })).json, { door: "open" });
    assert.equal((await ask("HEAD", "/doors/open", { headers })).status, 200);
    assert.deepEqual((await ask("GET", "/rooms/x", { headers })).json, { room: "x" });
    assert.deepEqual((await ask("GET", "/lobby/a", { headers })).json, { lobby: true });
    for (const path of ["/doors/x", "/doors/OPEN", "/rooms/vault", "/rooms/VAULT", "/Rooms/vault"])
      await expectProblem(401, "unauthorized", "GET", path, { headers });
  });

  if (framework === "nest")
    test("runs the middleware of app.ts before a body is parsed, as Nest does", async () => {
      const { headers } = await expectProblem(400, "malformed_json", "POST", "/notes", { body: "{" });
      assert.equal(headers.get("x-boat"), "dory");
    });

  if (framework === "nest")
    test("has problems passed to its exception filters as those that they know", async () => {
      const empty = await expectProblem(422, "unprocessable_content", "POST", "/filtered/every", { body: "{}" });
      assert.equal(empty.json.by, "EveryFilter");
      await expectProblem(400, "bad_request", "GET", "/filtered/every?limit=x");
      const { json } = await expectProblem(422, "invalid_item", "POST", "/filtered/base", { body: '{"name":1}' });
      assert.equal(json.errors[0].pointer, "#/name");
      await expectProblem(400, "invalid_query", "GET", "/filtered/base?limit=x");
      await expectProblem(400, "malformed_json", "POST", "/filtered/base", { body: "" });
      await expectProblem(415, "unsupported_media_type", "POST", "/filtered/base", { body: "a=b", type: "text/plain" });
    });

  if (framework === "nest")
    test("has interceptors get what it answers as objects", async () => {
      const headers = { ...credentials, "X-Wrapped": "yes" };
      const created = await ask("POST", "/items", { body: '{"name":"wrapped"}', headers });
      assert.equal(created.json.data.name, "wrapped");
      const found = await ask("GET", created.headers.get("location") ?? "", { headers });
      assert.deepEqual([found.json, found.headers.get("etag")], [created.json, created.headers.get("etag")]);
      const etag = found.headers.get("etag") ?? "";
      const cached = await ask("GET", created.headers.get("location") ?? "", {
        headers: { ...headers, "If-None-Match": `W/${etag}, "other"` },
      });
      assert.deepEqual([cached.status, cached.text, cached.headers.get("etag")], [304, "", etag]);
      const listed = await ask("GET", "/items?limit=1", { headers });
      assert.deepEqual(listed.json.data.items, [created.json.data]);
    });

  if (framework === "nest")
    test("has the body read for a path that a request is given", async () => {
      const name = "rewritten";
      const { json } = await ask("POST", "/v1/items", { body: JSON.stringify({ name }) });
      assert.equal(json.name, name);
      const form = { body: "name=form", type: "application/x-www-form-urlencoded" };
      await expectProblem(415, "unsupported_media_type", "POST", "/v1/items", form);
    });

  if (["express", "koa", "hono", "nest"].includes(framework))
    test("has a token required for what lies behind a public route that passes a request on", async () => {
      const headers = {};
      assert.deepEqual((await ask("GET", "/gates/open", { headers })).json, { gate: "open" });
      for (const path of ["/gates/closed", "/gates/mounted"])
        for (const sent of [headers, { Authorization: "Bearer wrong" }])
          await expectProblem(401, "unauthorized", "GET", path, { headers: sent });
      assert.deepEqual((await ask("GET", "/gates/closed")).json, { gate: "closed" });
      // In Nest, all of that runs before the routes.
      if (framework !== "nest") assert.deepEqual((await ask("GET", "/gates/mounted")).json, { gate: "mounted" });
      await expectProblem(404, "not_found", "GET", "/gates/nowhere");
    });

  if (["express", "koa", "nest", "fastify", "hapi"].includes(framework))
    test("has a token required for the path that a request is given, too", async () => {
      await expectProblem(401, "unauthorized", "GET", "/halls/back", { headers: {} });
      assert.deepEqual((await ask("GET", "/halls/back")).json, { name: "back" });
    });

  if (["express", "koa", "hono", "nest"].includes(framework))
    test("has a token required for the method that a request is given, too", async () => {
      const given = { "X-Changed-Method": "PUT" };
      assert.equal((await ask("HEAD", "/halls/staff", { headers: given })).status, 401);
      assert.equal((await ask("HEAD", "/halls/staff", { headers: { ...given, ...credentials } })).status, 200);
    });

  if (["express", "nest"].includes(framework))
    test("has a token required for the routes of an app that is mounted above a public route", async () => {
      for (const name of ["desk", "office"]) {
        await expectProblem(401, "unauthorized", "GET", `/halls/${name}`, { headers: {} });
        assert.deepEqual((await ask("GET", `/halls/${name}`)).json, { [name]: true });
        await expectProblem(405, "method_not_allowed", "PUT", `/halls/${name}`);
      }
    });

  test("has exact paths, also in a router without options", async () => {
    assert.deepEqual((await ask("GET", "/rooms/VAULT")).json, { room: "VAULT" });
    await expectProblem(404, "not_found", "GET", "/ROOMS/vault");
    await expectProblem(404, "not_found", "GET", "/Names/x");
  });

  test("knows the name of the token, if it has one, and so does the log", async () => {
    assert.deepEqual((await ask("GET", "/caller")).json, { caller: "first" });
    const headers = { Authorization: `Bearer ${tokens[1]}` };
    assert.deepEqual((await ask("GET", "/caller", { headers })).json, { caller: null });
    await expectLogged(/"route":"[^"]*\/caller".*"caller":"first"/);
  });

  test("gets HEAD, OPTIONS, 405 and preflights from the router", async () => {
    assert.equal((await ask("HEAD", "/names/x")).status, 200);
    const options = await ask("OPTIONS", "/names/x", { headers: {} });
    assert.deepEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"]);
    const refused = await expectProblem(405, "method_not_allowed", "DELETE", "/names/x");
    assert.equal(refused.headers.get("allow"), "GET, HEAD, OPTIONS");
    assert.equal(
      (await expectProblem(405, "method_not_allowed", "GET", "/notes")).headers.get("allow"),
      "POST, OPTIONS",
    );
    const asked = { Origin: origins[0] ?? "", "Access-Control-Request-Method": "POST" };
    const preflight = await ask("OPTIONS", "/notes", { headers: asked });
    assert.deepEqual([preflight.status, preflight.headers.get("access-control-allow-methods")], [204, "POST, OPTIONS"]);
  });

  test("reads bodies in the framework's way, and invalid ones are refused", async () => {
    const made = await ask("POST", "/notes", { body: '{"text":"hi"}' });
    assert.deepEqual([made.status, made.json], [201, { text: "hi" }], made.text);
    await expectProblem(400, "malformed_json", "POST", "/notes", { body: '{"text":' });
    await expectProblem(413, "body_too_large", "POST", "/notes", {
      body: JSON.stringify({ text: "x".repeat(3_000_000) }),
    });
    // Fastify's Ajv converts values and removes members, as on plain Node.
    const converted: [body: string, text: string][] = [
      ['{"text":5}', "5"],
      ['{"text":"x","more":1}', "x"],
    ];
    if (framework === "fastify")
      for (const [body, text] of converted) assert.deepEqual((await ask("POST", "/notes", { body })).json, { text });
    const refused = framework === "fastify" ? [] : converted.map(([body]) => body);
    for (const body of [...refused, '{"text":""}', "{}"]) {
      const { status, json } = await ask("POST", "/notes", { body });
      assert.ok(status === 400 || status === 422, `${status}`);
      assert.equal(json.type, "about:blank");
    }
    assert.deepEqual((await ask("POST", "/echo", { body: '{"a":[1]}' })).json, { a: [1] });
    await expectProblem(400, "malformed_json", "POST", "/echo", { body: "{" });
    await expectProblem(413, "body_too_large", "POST", "/echo", { body: JSON.stringify("x".repeat(3_000_000)) });
  });

  test("keeps the status of native errors, and hides the details of others", async () => {
    assert.equal((await expectProblem(403, "forbidden", "GET", "/forbidden")).json.detail, "not yours");
    assert.equal((await expectProblem(410, "gone", "GET", "/gone")).json.detail, "it moved");
    await expectProblem(500, "internal_error", "GET", "/broken");
    await expectLogged(/inner secret.*src\/extras\//, "the stack has the project's lines");
  });

  test("can read the raw bytes of any body", async () => {
    for (const [body, type] of [
      ["{ }", "application/json"],
      ["plain", "text/plain"],
      ["a=b", "application/x-www-form-urlencoded"],
    ] as const) {
      const sha256 = createHash("sha256").update(body).digest("hex");
      const { json, text } = await ask("POST", "/raw", { body, type });
      assert.deepEqual(json, { sha256 }, text);
    }
  });

  test("can allow a larger body for a route", async () => {
    const body = JSON.stringify("x".repeat(900_000));
    assert.deepEqual((await ask("POST", "/large", { body })).json, { bytes: body.length });
    await expectProblem(413, "body_too_large", "POST", "/large", { body: JSON.stringify("x".repeat(1_000_000)) });
  });

  test("gets no bytes from a body that was already read, as on plain Node, and finds the first reader in the log", async () => {
    const { status, text } = await ask("POST", "/twice", { body: '{"a":1}' });
    assert.deepEqual([Math.floor(status / 100), text], [2, ""]);
    await expectLogged(/a body was read twice.*"first":"(?!someone|process\.)/);
  });

  test("can let other code read every body first", async () => {
    using other = await start({ READ_FIRST: "yes" });
    const post = (path: string, body: string) =>
      fetch(other.url + path, {
        method: "POST",
        headers: { "Content-Type": "application/json", ...credentials },
        body,
      });
    for (const path of ["/items", "/orders"]) {
      assert.equal((await post(path, '{"name":"read twice"}')).status, 201);
      assert.equal((await post(path, '{"name":')).status, 400);
      assert.equal((await post(path, "[]")).status, 422);
    }
  });

  if (framework === "nest")
    test("has what middleware made of a body, and decoded ones, but items are what was sent", async () => {
      assert.deepEqual((await ask("POST", "/echo", { body: '{"secret":"s"}' })).json, {
        secret: "hidden by middleware",
      });
      const gzip = { "Content-Encoding": "gzip", "Content-Type": "application/json", ...credentials };
      const send = (path: string) =>
        fetch(backend.url + path, { method: "POST", headers: gzip, body: gzipSync('{"name":"x"}') });
      const [echo, item] = [await send("/echo"), await send("/items")];
      assert.deepEqual([await echo.json(), item.status], [{ name: "x" }, 415]);
    });

  test("can let a handler take longer, and stream as long as it likes", async () => {
    using other = await start({ HANDLER_TIMEOUT_MS: "1000" });
    const get = (path: string) => fetch(other.url + path, { headers: credentials });
    // The first request takes longest.
    assert.equal((await get("/health")).status, 200);
    const [events, patient] = await Promise.all([get("/events").then((one) => one.text()), get("/patient")]);
    assert.equal(events.match(/^data: ?\d/gm)?.length, 5, events);
    assert.equal(await patient.text(), "{}");
    assert.equal(patient.headers.get("cache-control"), null, "an empty value switches the default off");
  });

  test("has the routes of the README", async () => {
    assert.deepEqual((await ask("GET", "/hello/you")).json, { hello: "you" });
    const { json } = await expectProblem(404, "not_found", "GET", "/hello/nobody");
    assert.equal(json.detail, "Nobody has this name.");
    await expectProblem(404, "not_found", "POST", "/hello/", { body: '{"text":"hi"}' });
    assert.equal((await ask("POST", "/hello", { body: '{"text":"hi"}' })).status, 201);
    await expectProblem(422, "invalid_item", "POST", "/hello", { body: "{}" });
    await expectProblem(401, "unauthorized", "GET", "/hello/you", { headers: {} });
  });

  test("has the field of the README, with a schema of its own", async () => {
    const { json: fault } = await expectProblem(422, "invalid_item", "POST", "/items", {
      body: '{"name":"x","color":"red"}',
    });
    assert.equal(fault.detail, "color must be a color, like #1e90ff");
    const { json } = await ask("POST", "/items", { body: '{"name":"x","color":"#1e90ff"}' });
    assert.deepEqual([json.name, json.color], ["x", "#1e90ff"]);
  });

  test("uses plugins", async () => {
    assert.ok((await ask("GET", "/names/x")).headers.get("x-plugin"));
    for (const status of [200, 200]) assert.equal((await ask("GET", "/limited")).status, status);
    await expectProblem(429, "too_many_requests", "GET", "/limited");
  });

  test("finds the patterns of routes in the log", async () => {
    await ask("GET", "/names/x");
    await expectLogged(/"route":"\/names\/[:{]name\}?"/);
  });

  test("finds all of it in openapi.json, with what the router knows", async () => {
    const { faults, text } = await describeProject(folder);
    assert.ok(faults.includes("GET /names/{name} is in the app, but not in openapi.json"), faults.join());
    writeFileSync(join(folder, "openapi.json"), text);
    assert.deepEqual(await describeProject(folder), { faults: [], text });
    const { paths, components } = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
    assert.equal(paths["/large"].post["x-body-limit"], 1_000_000);
    assert.deepEqual(paths["/status"].get.security, []);
    assert.deepEqual(paths["/names/{name}"].get.security, [{ bearer: [] }]);
    assert.deepEqual(paths["/doors/open"].get.security, []);
    assert.deepEqual(paths["/doors/{name}"].get.security, [{ bearer: [] }]);
    assert.deepEqual(components.schemas.NewOrder, components.schemas.NewItem);
    for (const [path, body] of [
      ["/notes", '{"text":"hi"}'],
      ["/hello", '{"text":"hi"}'],
      ["/echo", "{}"],
    ] as const) {
      const { responses } = paths[path].post;
      const { status } = await ask("POST", path, { body });
      const others = responses.default.$ref.endsWith("/AnyAnswer");
      assert.ok(status in responses || others, `POST ${path} answers ${status}, and openapi.json does not have it`);
    }
  });

  test("has all of that checked, with a second resource that is a copy of the first", {
    timeout: 180_000,
  }, async () => {
    const document = JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
    // The router does not know which routes have a body, and the values of parameters.
    const content = { "application/json": {} };
    for (const path of ["/notes", "/echo", "/raw", "/large"]) {
      assert.ok(document.paths[path], Object.keys(document.paths).join());
      document.paths[path].post.requestBody = { content };
    }
    document.paths["/names/{name}"].get.parameters[0].example = "josé";
    // Its rate limit is used up, and may refuse a request before its method is checked.
    delete document.paths["/limited"];
    // It passes every request on.
    delete document.paths["/gates/{gate}"];
    assert.equal(document.paths["/any"]["x-any-method"], true);
    const all = selectChecks(document);
    assert.ok(all.filter(({ name }) => name.startsWith("/orders: ")).length > 50);
    const checks = all.filter(({ name }) => !name.startsWith("/items: "));
    const place = { ...defaults, headersTimeoutMs: 8000, requestTimeoutMs: 8000, url: backend.url };
    const findings = await Promise.all(runChecks(checks, place));
    assert.deepEqual(
      findings.filter(({ fault }) => fault !== undefined),
      [],
    );
  });

  test("has the framework's own shutdown hook called", async () => {
    assert.equal(await backend.stop(), 0);
    assert.ok(
      backend.logged.some((line) => line.includes('"message":"closed"')),
      backend.logged.slice(-3).join("\n"),
    );
  });
}

/** Follows the README in every framework, and then makes typical changes. */
async function makeProjects(): Promise<void> {
  const request = { database: "sqlite", features: ["auth", "cors", "item-routes"] };
  const made = frameworks.map((framework) => ({ title: framework, files: project({ framework, ...request }) }));
  for (const group of writeInGroups(made)) {
    for (const { folder } of group.projects) {
      addExampleField(folder);
      await followReadme(folder);
      addExampleMiddleware(folder);
      addExampleFeature(folder);
    }
    await group.biome("--write", ".");
    for (const { title: framework, folder } of group.projects) {
      const { extension }: { extension: Extension } = await import(`./owner/${framework}.ts`);
      extend(folder, extension);
      folders.set(framework, folder);
    }
    await group.tsc();
  }
}
