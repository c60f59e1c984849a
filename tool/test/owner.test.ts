import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { apiTokens, credentials } from "../../backend/test/conformance/auth/tokens.ts";
import { corsOrigins, origins } from "../../backend/test/conformance/cors/origins.ts";
import { checksOf } from "../../backend/test/conformance/index.ts";
import { defaults } from "../../backend/test/conformance/suite.ts";
import { Backend } from "../../backend/test/support/backend.ts";
import { isWholeMatrix, oneOfEachKind, someFrameworks } from "../../backend/test/support/matrix.ts";
import { newSqliteFile } from "../../backend/test/support/sqlite.ts";
import { findingsOf } from "../src/checks.ts";
import { writeFiles } from "../src/new/write.ts";
import { writeInGroups } from "./groups.ts";
import { describe as describeProject } from "./openapi/describe.ts";
import { lint } from "./openapi/lint.ts";
import type { Extension } from "./owner/extension.ts";
import { build, project, run } from "./support.ts";

// In `npm test`, only the frameworks of each kind run the checks of the second resource.
const frameworks = isWholeMatrix ? oneOfEachKind : someFrameworks;

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
    const limits = { HEADERS_TIMEOUT_MS: "3000", REQUEST_TIMEOUT_MS: "4000" };
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
  const expectLogged = async (line: RegExp, message = `${line} is logged`) => {
    for (let tries = 0; tries < 50 && !backend.logged.some((one) => line.test(one)); tries++) await sleep(20);
    assert.ok(
      backend.logged.some((one) => line.test(one)),
      message,
    );
  };

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

  test("has tokens required on every route that is not declared public", async () => {
    const headers = {};
    for (const path of ["/names/x", "/forbidden", "/broken", "/limited", "/orders", "/nowhere"])
      await expectProblem(401, "unauthorized", "GET", path, { headers });
    for (const path of ["/notes", "/raw", "/large", "/orders"])
      await expectProblem(401, "unauthorized", "POST", path, { headers, body: "{" });
    await expectProblem(401, "unauthorized", "DELETE", "/names/x", { headers });
    assert.deepEqual((await ask("GET", "/status", { headers })).json, { status: "up" });
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
    for (const body of ['{"text":5}', '{"text":""}', "{}", '{"text":"x","more":1}']) {
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
      ["{", "application/json"],
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

  test("gets an error at once if the body was already read", async () => {
    await expectProblem(500, "internal_error", "POST", "/twice", { body: '{"a":1}' });
    await expectLogged(/was read already, by (?!someone|process\.)/);
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

  test("has the routes of the README", async () => {
    assert.deepEqual((await ask("GET", "/hello/you")).json, { hello: "you" });
    assert.equal((await ask("POST", "/hello", { body: '{"text":"hi"}' })).status, 201);
    await expectProblem(422, "invalid_item", "POST", "/hello", { body: "{}" });
    await expectProblem(401, "unauthorized", "GET", "/hello/you", { headers: {} });
  });

  test("uses plugins", async () => {
    assert.ok((await ask("GET", "/names/x")).headers.get("x-plugin"));
    for (const status of [200, 200]) assert.equal((await ask("GET", "/limited")).status, status);
    await expectProblem(429, "too_many_requests", "GET", "/limited");
  });

  test("finds the patterns of routes in the log", async () => {
    await ask("GET", "/names/x");
    await sleep(100);
    const routes = backend.logged.map((line) => JSON.parse(line).route);
    assert.ok(
      routes.some((route) => /^\/names\/[:{]name\}?$/.test(route)),
      routes.join(),
    );
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
    assert.deepEqual(components.schemas.NewOrder, components.schemas.NewItem);
  });

  test("has all of that checked, with a second resource that is a copy of the first", {
    timeout: 60_000,
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
    const all = checksOf(document);
    assert.ok(all.filter(({ name }) => name.startsWith("/orders: ")).length > 50);
    const left = (oneOfEachKind as string[]).includes(framework) ? ["/items: "] : ["/items: ", "/orders: "];
    const checks = all.filter(({ name }) => !left.some((resource) => name.startsWith(resource)));
    const place = { ...defaults, headersTimeoutMs: 3000, requestTimeoutMs: 4000, url: backend.url };
    const findings = await Promise.all(findingsOf(checks, place));
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
    for (const { folder } of group.projects) await followReadme(folder);
    await group.biome("--write", ".");
    for (const { title: framework, folder } of group.projects) {
      const { extension }: { extension: Extension } = await import(`./owner/${framework}.ts`);
      extend(folder, extension);
      folders.set(framework, folder);
    }
    await group.tsc();
  }
}

/** Adds the route of its example, and a second resource. */
async function followReadme(folder: string): Promise<void> {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [, file = "", code = "", mount = ""] =
    /## Adding a route\n.*?in `(.+?)`:\n\n```ts\n(.*?)```.*?```ts\n(.*?)```/s.exec(readme) ?? assert.fail();
  writeFiles(folder, [[file, code]]);
  const [, commands = ""] = /## Adding a resource\n.*?```sh\n(.*?)```/s.exec(readme) ?? assert.fail();
  await run(folder, "sh", "-ec", commands);
  edit(join(folder, "src/app.ts"), (text) => withLines(mountCopy(text), mount.split("\n")));
}

/** Repeats every line of `app.ts` that names the folder: the import and the mount. */
function mountCopy(text: string): string {
  const lines = text.split("\n");
  return lines.flatMap((line) => (/items?/i.test(line) ? [line, rename(line)] : [line])).join("\n");
}

function rename(text: string): string {
  return text
    .replaceAll("items", "orders")
    .replaceAll("Items", "Orders")
    .replaceAll("item", "order")
    .replaceAll("Item", "Order");
}

/** Adds imports after the others, and the rest after the lines that mount the items. */
function withLines(text: string, added: string[]): string {
  const lines = text.split("\n");
  const isImport = (line: string) => line.startsWith("import ");
  const mounts = lines.findLastIndex((line) => /itemRoutes|ItemsModule/.test(line) && !isImport(line));
  lines.splice(mounts + 1, 0, ...added.filter((line) => line.trim() !== "" && !isImport(line)));
  lines.splice(lines.findLastIndex(isImport) + 1, 0, ...added.filter(isImport));
  return lines.join("\n");
}

function extend(folder: string, { files, edits }: Extension): void {
  writeFiles(folder, Object.entries(files));
  for (const [path, pairs] of Object.entries(edits))
    for (const [from, to] of pairs)
      edit(join(folder, path), (text) => {
        assert.equal(text.split(from).length, 2, `${from} must be once in ${path}`);
        return text.replace(from, () => to);
      });
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}
