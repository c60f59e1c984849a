import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { databases, frameworks, nodes, simpleFeatures, sources } from "../../src/new/choices.ts";
import { readQuery } from "../../src/new/query.ts";
import { writeFiles } from "../../src/new/write.ts";
import { targetNames } from "../../src/publish/targets.ts";
import { readQueryRequest } from "../../src/studio/ask.ts";
import { version } from "../../src/version.ts";
import { dory } from "../dory.ts";
import { lint } from "../openapi/lint.ts";
import { project, run, sharePackages, temporaryFolder } from "../support.ts";
import { readTgz, readZip } from "./archives.ts";
import { createRandom, createRequest } from "./random.ts";
import { parse, sendRaw, servePublic } from "./serve.ts";

describe("the generator", () => {
  let url: string;
  before(async () => {
    url = await servePublic();
  });

  const rich =
    "framework=fastify&field=name:string(1..50)+unique&field=price:number(0..)?&resource=orders:+itemId:ref(items)&with=auth,cors&webhook=github&database=sqlite&node=pinned";
  const richFiles = () =>
    project({
      name: "shop",
      framework: "fastify",
      fields: ["name:string(1..50) unique", "price:number(0..)?"],
      resources: ["orders: itemId:ref(items)"],
      features: ["auth", "cors"],
      webhooks: ["github"],
      database: "sqlite",
      node: "pinned",
    });
  const sorted = (files: Map<string, string>) => [...files].sort(([a], [b]) => (a < b ? -1 : 1));

  test("packs what dory new writes, in its order, as tgz and zip", async () => {
    const expected = sorted(richFiles());
    const [tgz, zip] = await Promise.all(
      ["tgz", "zip"].map((format) => fetch(`${url}/projects/shop.${format}?${rich}`)),
    );
    assert.deepEqual([...readTgz(Buffer.from(await (tgz as Response).arrayBuffer()))], expected);
    assert.deepEqual([...readZip(Buffer.from(await (zip as Response).arrayBuffer()))], expected);
    assert.equal(tgz?.headers.get("content-type"), "application/gzip");
    assert.equal(zip?.headers.get("content-type"), "application/zip");
    assert.equal(tgz?.headers.get("content-disposition"), 'attachment; filename="shop.tgz"');
  });

  test("an archive is the command's project, and tar unpacks it", async () => {
    const folder = temporaryFolder();
    const args = ["new", "shop", "--framework", "koa", "--with", "item-routes", "--no-install", "--no-git"];
    const { code } = await dory(folder, args).outcome;
    assert.equal(code, 0);
    const answer = await fetch(`${url}/projects/shop.tgz?framework=koa&with=item-routes`);
    writeFileSync(join(folder, "shop.tgz"), Buffer.from(await answer.arrayBuffer()));
    await run(folder, "mkdir", "unpacked");
    await run(folder, "tar", "xzf", "shop.tgz", "-C", "unpacked");
    // The id tells projects apart, so it cannot be in a file that everyone gets.
    await run(folder, "sed", "-i", '/^  "id": /d', "shop/dory.json");
    await run(folder, "diff", "-r", "shop", "unpacked");
  });

  test("the same request has the same bytes, digest and tag, and is not sent twice", async () => {
    const address = `${url}/projects/shop.tgz?${rich}`;
    const [one, other] = await Promise.all([fetch(address), fetch(address)]);
    const bytes = Buffer.from(await (one as Response).arrayBuffer());
    assert.deepEqual(bytes, Buffer.from(await (other as Response).arrayBuffer()));
    const hash = createHash("sha256").update(bytes).digest("base64");
    assert.equal(one?.headers.get("repr-digest"), `sha-256=:${hash}:`);
    const tag = one?.headers.get("etag") ?? "";
    const again = await fetch(address, { headers: { "If-None-Match": `"other", W/${tag}` } });
    assert.deepEqual([again.status, again.headers.get("etag"), await again.text()], [304, tag, ""]);
    const another = await fetch(address.replace("fastify", "koa"), { headers: { "If-None-Match": tag } });
    assert.equal(another.status, 200);
    assert.equal(gunzipSync(bytes).readUInt32BE(0) > 0, true);
  });

  test("as JSON it has the request, the version, the digest and every file", async () => {
    const answer = await fetch(`${url}/projects/shop.json?${rich}`);
    const { request, version: own, digest, files } = await parse(answer);
    assert.deepEqual(
      files,
      sorted(richFiles()).map(([path, text]) => ({ path, text })),
    );
    assert.equal(own, version);
    const sums = sorted(richFiles()).map(
      ([path, text]) => `${createHash("sha256").update(text).digest("hex")}  ${path}\n`,
    );
    assert.equal(digest, createHash("sha256").update(sums.join("")).digest("hex"));
    const posted = await fetch(`${url}/projects`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(request),
    });
    assert.equal((await parse(posted)).digest, digest);
  });

  test("a posted request is answered in the format that is accepted", async () => {
    const post = (accept: string) =>
      fetch(`${url}/projects`, {
        method: "POST",
        headers: { "Content-Type": "application/json; charset=utf-8", Accept: accept },
        body: '{"name":"my-api","framework":"hono"}',
      });
    const types: [accept: string, type: string][] = [
      ["*/*", "application/json"],
      ["application/json", "application/json"],
      ["application/gzip", "application/gzip"],
      ["application/zip;q=0.9, text/html", "application/zip"],
      ["application/*", "application/json"],
      ["application/json;q=0, application/zip", "application/zip"],
      ["application/zip;q=1, application/json;q=0.1", "application/zip"],
      ["application/json;q=0, */*;q=0.5", "application/gzip"],
      ["application/json;q=x", "application/json"],
    ];
    for (const [accept, type] of types) assert.equal((await post(accept)).headers.get("content-type"), type, accept);
    assert.equal((await post("text/html")).status, 406);
    assert.equal((await post("application/*;q=0")).status, 406);
  });

  test("a diff makes one project of the other", async () => {
    const diff = await fetch(
      `${url}/projects/my-api.diff?framework=hono&node=pinned&against=${encodeURIComponent("framework=nest&with=auth&node=pinned")}`,
    );
    assert.equal(diff.headers.get("content-type"), "text/plain; charset=utf-8");
    const folder = temporaryFolder();
    writeFiles(folder, project({ framework: "nest", features: ["auth"] }));
    writeFileSync(join(folder, "a.diff"), await diff.text());
    await run(folder, "git", "apply", "a.diff");
    await run(folder, "rm", "a.diff");
    const wanted = temporaryFolder();
    writeFiles(wanted, project({ framework: "hono" }));
    await run(folder, "diff", "-r", folder, wanted);
    const same = await fetch(`${url}/projects/my-api.diff?framework=hono&against=framework%3Dhono`);
    assert.equal(await same.text(), "");
  });

  test("an application of several services can be asked for", async () => {
    const answer = await fetch(`${url}/projects/shop.json?service=api=hono&service=jobs=koa`);
    const { files } = await parse(answer);
    assert.ok(files.some(({ path }: { path: string }) => path === "jobs/src/main.ts"));
  });

  const wrong: [query: string, parameter: string, message: RegExp][] = [
    ["", "framework", /^Choose a framework with --framework: elysia, express/],
    ["framework=", "framework", /^Choose a framework/],
    ["framework=hno", "framework", /^There is no framework "hno"\. Did you mean hono\?/],
    ["framework=hono&framework=koa", "framework", /given twice/],
    ["framework=hono&frmework=koa", "frmework", /Did you mean framework\?/],
    ["framework=hono&field=name", "field", /^The field "name" cannot be read/],
    ["framework=hono&field=a:string&field=b:strng", "field", /Did you mean string\?/],
    ["framework=hono&field=a:string&field=a:string", "field", /declared twice/],
    ["framework=hono&field=a:ref(orders)", "field", /There is no resource "orders"/],
    ["framework=hono&resource=order:+a:string", "resource", /in the plural/],
    ["framework=hono&resource=orders:+a:strng", "resource", /^In the resource "orders"/],
    ["framework=hono&resource=orders:+a:ref(lines)&resource=lines:+b:ref(orders)", "resource", /in a circle/],
    ["framework=hono&database=mysql", "database", /^There is no database "mysql"/],
    ["framework=hono&with=auht", "with", /Did you mean auth\?/],
    ["framework=hono&with=webhooks", "with", /^Name the sources of webhooks/],
    ["framework=hono&webhook=gitlab", "webhook", /^There is no source of webhooks "gitlab"/],
    ["framework=hono&node=18", "node", /^There is no node "18"/],
    ["framework=hono&service=api=koa", "framework", /--service names the framework/],
    ["service=api", "service", /^Name the framework of the service/],
    ["service=api=koa&service=api=hono", "service", /^Two services are named "api"/],
    ["service=api=koa&field=a:strng", "field", /^In "a:strng": .*Did you mean string\?/],
  ];
  for (const [query, parameter, message] of wrong)
    test(`?${query} is refused, with ${parameter} named`, async () => {
      for (const format of ["tgz", "json"]) {
        const answer = await fetch(`${url}/projects/my-api.${format}?${query}`);
        const problem = await parse(answer);
        assert.equal(answer.status, 400);
        assert.equal(answer.headers.get("content-type"), "application/problem+json");
        assert.equal(problem.parameter, parameter);
        assert.match(problem.detail, message);
        assert.equal(problem.errors[0].parameter, parameter);
      }
    });

  const letters = "abcdefghi";
  const layer = (one: string, next: string) =>
    [..."xyz"].map((own) => `l${one}${own}s: ${[..."xyz"].map((to) => `${to}:ref(l${next}${to}s)`).join(", ")}`);
  const circle = ["las: a:ref(lbs)", "lbs: a:ref(las)"];
  const deep = [
    ...[...letters.slice(0, -1)].flatMap((one, index) => layer(one, letters[index + 1] ?? "")),
    ...[..."xyz"].map((own) => `li${own}s: a:string`),
  ];
  const gap = " ".repeat(100_000);
  /** Each took seconds or hours before, with one request. */
  const large: Record<string, [pairs: [string, string][], parameter: string, code: string]> = {
    fields: [Array.from({ length: 3000 }, (_, index) => ["field", `a${index}:string`]), "field", "too_many"],
    "fields of a resource": [[["resource", `orders: ${"a:string,".repeat(200)}`]], "resource", "too_many"],
    resources: [deep.concat(deep).map((one) => ["resource", one]), "resource", "too_many"],
    "layers of resources": [[...deep, ...circle].map((one) => ["resource", one]), "resource", "ref_circle"],
    "spaces between features": [[["with", `a${gap}b`]], "with", "unknown_feature"],
    "spaces in a field": [[["field", `a:string=${gap}b`]], "field", "too_long"],
    "spaces in a resource": [[["resource", `a${gap}b`]], "resource", "too_long"],
    "letters of a framework": [[["framework", "x".repeat(200_000)]], "framework", "unknown_framework"],
    features: [[["with", "a,".repeat(50_000)]], "with", "too_many"],
    "parts that all services share": [
      [
        ...Array.from({ length: 30 }, (_, index): [string, string] => ["service", `a${index}=hono`]),
        ...deep.slice(-6).map((one): [string, string] => ["resource", one]),
      ],
      "service",
      "too_much",
    ],
    services: [Array.from({ length: 40 }, (_, index) => ["service", `a${index}=hono`]), "service", "too_many"],
  };
  for (const [what, [pairs, parameter, code]] of Object.entries(large))
    test(`no number of ${what} keeps it busy`, async () => {
      const first = pairs.some(([name]) => ["framework", "service"].includes(name)) ? "" : "framework=hono&";
      const start = performance.now();
      assert.throws(
        () => readQueryRequest(new URLSearchParams(`${first}${new URLSearchParams(pairs)}`), "a"),
        ({ answer }) => {
          const problem = JSON.parse(answer.body);
          return problem.parameter === parameter && problem.code === code;
        },
      );
      assert.ok(performance.now() - start < 2000, `${performance.now() - start} ms`);
    });

  test("nor do other parameters, or spaces in If-None-Match", async () => {
    const start = performance.now();
    const { faults } = readQuery(new URLSearchParams(Array.from({ length: 40_000 }, (_, index) => [`p${index}`, ""])));
    assert.equal(faults.length, 100);
    const headers = { "If-None-Match": `a${" ".repeat(15_000)}b` };
    assert.equal((await fetch(`${url}/projects/a.tgz?framework=hono`, { headers })).status, 200);
    assert.ok(performance.now() - start < 2000, `${performance.now() - start} ms`);
  });

  test("every fault of a request is reported", async () => {
    const answer = await fetch(`${url}/projects/My-Api.tgz?framework=hno&field=x&field=b:strng&with=a,auth&database=d`);
    const { errors } = await parse(answer);
    assert.deepEqual(
      errors.map(({ parameter, index }: { parameter: string; index?: number }) => [parameter, index]),
      [
        ["name", undefined],
        ["framework", undefined],
        ["database", undefined],
        ["with", 0],
        ["field", 0],
        ["field", 1],
      ],
    );
  });

  test("a name with a newline, a path or nothing is refused", async () => {
    for (const name of ["a%0Ab", "%2e%2e%2fa", "a/b", "%00", "A", "-a", "a".repeat(101)]) {
      const answer = await fetch(`${url}/projects/${name}.tgz?framework=hono`);
      assert.deepEqual([answer.status, (await parse(answer)).parameter], [400, "name"], name);
    }
    assert.equal((await fetch(`${url}/projects/.tgz?framework=hono`)).status, 400);
    assert.equal((await fetch(`${url}/projects/%ff.tgz?framework=hono`)).status, 404);
  });

  test("against is needed for a diff, once, and its faults are its own", async () => {
    for (const query of [
      "framework=hono",
      "framework=hono&against=a&against=b",
      "framework=hono&against=framework%3Dx",
    ]) {
      const answer = await fetch(`${url}/projects/a.diff?${query}`);
      assert.deepEqual([answer.status, (await parse(answer)).parameter], [400, "against"], query);
    }
  });

  test("a wrong body is refused", async () => {
    const post = (body: string, type = "application/json") =>
      fetch(`${url}/projects`, { method: "POST", headers: { "Content-Type": type }, body });
    const bodies: [body: string, status: number][] = [
      ["", 400],
      ["{", 400],
      ["[]", 400],
      ["null", 400],
      ['{"name":"a"}', 400],
      ['{"name":"a","framework":"hono","fields":"a:string"}', 400],
      ['{"name":"a","framework":"hono","port":1}', 400],
      ['{"name":"a","framework":"hono"}', 200],
    ];
    for (const [body, status] of bodies) assert.equal((await post(body)).status, status, body);
    assert.equal((await post("{}", "text/plain")).status, 415);
    assert.equal((await post(`"${"x".repeat(300_000)}"`)).status, 413);
  });

  test("a body that is no object is refused by every route", async () => {
    for (const path of ["/projects", "/api/preview", "/api/compare"])
      for (const body of ["null", "5", '"a"', "[]"]) {
        const answer = await fetch(`${url}${path}`, {
          method: "POST",
          headers: { "Content-Type": "application/json" },
          body,
        });
        assert.deepEqual([answer.status, (await parse(answer)).code], [400, "request"], `${path} ${body}`);
      }
  });

  test("a wrong member of a posted request is the parameter", async () => {
    const cases: [more: object, parameters: string[]][] = [
      [{ colour: "red" }, ["colour"]],
      [{ fields: "a:string", database: 5 }, ["fields", "database"]],
      [{ folder: "../elsewhere" }, ["folder"]],
      [{ services: [5] }, ["services"]],
    ];
    for (const [more, parameters] of cases) {
      const answer = await fetch(`${url}/projects`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ name: "a", framework: "hono", ...more }),
      });
      const { status, parameter, errors } = await parse(answer);
      assert.deepEqual([status, parameter], [400, parameters[0]]);
      assert.deepEqual(
        errors.map((one: { parameter: string }) => one.parameter),
        parameters,
      );
    }
  });

  test("a preview of an application has its command, its link and its files, or each fault at its service", async () => {
    const ask = async (query: string) => {
      const headers = { "Content-Type": "application/json" };
      return parse(await fetch(`${url}/api/preview`, { method: "POST", headers, body: JSON.stringify({ query }) }));
    };
    const query = "name=shop&service=api%3Dhono&service=jobs%3Dkoa&database=postgres&with=auth";
    const { command, link, digest, files, faults, notes, choices } = await ask(query);
    assert.deepEqual([faults, notes, choices.framework, choices.service], [[], [], "", ["api=hono", "jobs=koa"]]);
    assert.match(
      command,
      /^npx dory new shop --service api=hono --service jobs=koa --database postgres --with auth( --node system)?$/,
    );
    assert.match(link, /^name=shop&service=api=hono&service=jobs=koa&database=postgres&field=.*&with=auth&node=/);
    assert.ok(files.some(({ path }: { path: string }) => path === "jobs/src/app.ts"));
    assert.deepEqual([(await ask(link)).digest, (await ask(link)).notes], [digest, []]);
    const wrong = await ask("name=shop&framework=koa&service=api%3Dhono&service=%3Dkoa");
    const places = wrong.faults.map((fault: { parameter: string; index?: number }) => [fault.parameter, fault.index]);
    assert.deepEqual(places, [
      ["framework", undefined],
      ["service", 1],
    ]);
    assert.equal(wrong.request, null);
  });

  test("a body of 10 MB is refused before it is read", async () => {
    const { status } = await sendRaw(
      url,
      `POST /projects HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n${"x".repeat(1000)}`,
    );
    assert.equal(status, 413);
  });

  test("options have every choice with a sentence", async () => {
    const options = await parse(await fetch(`${url}/options`));
    const named = (list: { name: string }[]) => list.map(({ name }) => name);
    assert.deepEqual(named(options.frameworks), [...frameworks]);
    assert.deepEqual(named(options.databases), [...databases]);
    assert.deepEqual(named(options.features), [...simpleFeatures]);
    assert.deepEqual(named(options.sources), [...sources]);
    assert.deepEqual(named(options.nodes), [...nodes]);
    assert.deepEqual(named(options.targets), targetNames);
    assert.equal(options.version, version);
    const all = ["frameworks", "databases", "features", "sources", "nodes", "types", "targets"].flatMap(
      (kind) => options[kind],
    );
    for (const { name, title, sentence } of all)
      assert.ok(title && /^[A-Z].*\.$/.test(sentence), `${name}: ${sentence}`);
    for (const { fields } of options.targets) for (const { sentence } of fields) assert.match(sentence, /^[A-Z].*\.$/);
  });

  test("a program gets help as text, a browser the page", async () => {
    const help = await fetch(url, { headers: { Accept: "*/*" } });
    assert.equal(help.headers.get("content-type"), "text/plain; charset=utf-8");
    const text = await help.text();
    assert.ok(text.includes(`curl -fsS '${url}/projects/my-api.tgz?framework=hono' | tar xz -C my-api`));
    for (const name of [...frameworks, ...simpleFeatures, ...sources]) assert.ok(text.includes(`  ${name} `), name);
    const page = await fetch(url, { headers: { Accept: "text/html,*/*;q=0.8" } });
    assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
    const html = await page.text();
    const boot = JSON.parse(/id="boot">(.*?)<\/script>/s.exec(html)?.[1] ?? "");
    assert.equal(boot.state.mode, "public");
    for (const [path] of html.matchAll(/\/assets\/[\w.-]+/g)) {
      const asset = await fetch(`${url}${path}`);
      assert.equal(asset.status, 200);
      assert.match(asset.headers.get("cache-control") ?? "", /immutable/);
    }
  });

  test("openapi.json describes the routes, and is a valid document", async () => {
    const document = await parse(await fetch(`${url}/openapi.json`));
    const folder = temporaryFolder();
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
    sharePackages(folder);
    await lint([folder]);
    const { schema } = document.paths["/projects"].post.requestBody.content["application/json"];
    const asked = { ...createRequest(createRandom(1)), services: [{ name: "api", framework: "hono" }] };
    assert.deepEqual(
      Object.keys(asked).filter((name) => !(name in schema.properties)),
      [],
    );
    for (const path of Object.keys(document.paths).filter((one) => !one.includes("{") && one !== "/projects"))
      assert.equal((await fetch(`${url}${path}`)).status, 200, path);
  });

  test("health is answered, other paths and methods are problems", async () => {
    assert.deepEqual(await parse(await fetch(`${url}/health`)), { status: "ok" });
    const cases: [method: string, path: string, status: number, allow: string | null][] = [
      ["GET", "/nothing", 404, null],
      ["GET", "/projects/", 404, null],
      ["GET", "/projects/a.tar?framework=hono", 404, null],
      ["GET", "/projects/a?framework=hono", 404, null],
      ["GET", "/api/jobs", 404, null],
      ["GET", "/api/events", 404, null],
      ["GET", "/assets/../../package.json", 404, null],
      ["POST", "/options", 405, "GET, HEAD"],
      ["POST", "/", 405, "GET, HEAD"],
      ["DELETE", "/projects/a.tgz", 405, "GET, HEAD"],
      ["GET", "/projects", 405, "POST"],
      ["GET", "/api/preview", 405, "POST"],
    ];
    for (const [method, path, status, allow] of cases) {
      const answer = await fetch(`${url}${path}`, { method });
      assert.deepEqual([answer.status, answer.headers.get("allow")], [status, allow], `${method} ${path}`);
      assert.equal((await parse(answer)).status, status);
    }
    const head = await fetch(`${url}/projects/a.tgz?framework=hono`, { method: "HEAD" });
    assert.ok(Number(head.headers.get("content-length")) > 10_000);
  });

  test("every answer forbids to guess its type, to frame it, and scripts from elsewhere", async () => {
    for (const path of ["/", "/options", "/nothing", "/projects/a.tgz?framework=hono"]) {
      const { headers } = await fetch(`${url}${path}`);
      assert.equal(headers.get("x-content-type-options"), "nosniff");
      assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'; script-src 'self'/);
      assert.equal(headers.get("access-control-allow-origin"), null);
    }
  });

  test("malformed messages are problems too", async () => {
    assert.equal((await sendRaw(url, "GET / HTTP/9\r\n\r\n")).status, 400);
    const long = await sendRaw(url, `GET / HTTP/1.1\r\nHost: x\r\nX-A: ${"a".repeat(20_000)}\r\n\r\n`);
    assert.equal(long.status, 431);
    assert.match(long.text, /application\/problem\+json/);
  });

  test("one address has a limit, others do not pay for it, and health is free", async () => {
    const limited = await servePublic(3);
    const ask = async (path: string, address: string) =>
      fetch(`${limited}${path}`, { headers: { "X-Forwarded-For": `8.8.8.8, ${address}` } });
    const statuses = [];
    for (let count = 0; count < 4; count++) statuses.push((await ask("/options", "203.0.113.1")).status);
    assert.deepEqual(statuses, [200, 200, 200, 429]);
    const refused = await ask("/options", "203.0.113.1");
    assert.ok(Number(refused.headers.get("retry-after")) >= 1);
    assert.equal((await parse(refused)).code, "too_many_requests");
    assert.equal((await ask("/options", "203.0.113.2")).status, 200);
    assert.equal((await ask("/health", "203.0.113.1")).status, 200);
  });
});
