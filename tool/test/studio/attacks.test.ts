import assert from "node:assert/strict";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { writeFiles } from "../../src/new/write.ts";
import { project, run, temporaryFolder } from "../support.ts";
import { parse, sendRaw, serveLocal } from "./serve.ts";

describe("a studio on this machine", () => {
  const outside = temporaryFolder();
  const folder = join(outside, "root");
  mkdirSync(folder);
  let studio: Awaited<ReturnType<typeof serveLocal>>;
  before(async () => {
    studio = await serveLocal(folder);
  });

  const privatePaths = ["/api/state", "/api/events", "/api/openapi?backend=main"];
  const statusFor = async (path: string, headers: Record<string, string>, method = "GET", body?: string) =>
    (
      await fetch(`${studio.url}${path}`, {
        method,
        headers,
        redirect: "manual",
        ...(body === undefined ? {} : { body }),
      })
    ).status;

  test("opens with its token, which becomes a cookie that scripts and other sites cannot use", () => {
    assert.equal(studio.opened.status, 303);
    assert.equal(studio.opened.headers.get("location"), "/");
    assert.match(
      studio.opened.headers.get("set-cookie") ?? "",
      /^dory-studio-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/,
    );
    assert.equal(studio.opened.headers.get("referrer-policy"), "no-referrer");
  });

  test("keeps the choices of the address that opens it", async () => {
    const { addresses } = studio;
    const answer = await fetch(`${addresses.at(-1)}&name=shop&field=a:string`, { redirect: "manual" });
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get("location"), `/?${new URLSearchParams("name=shop&field=a:string")}`);
  });

  test("a used token and a guessed one open nothing", async () => {
    for (const address of [studio.first, `${studio.url}/?token=`, `${studio.url}/?token=${"a".repeat(43)}`]) {
      const answer = await fetch(address, { redirect: "manual" });
      assert.deepEqual([answer.status, answer.headers.get("set-cookie")], [403, null]);
    }
  });

  test("whoever has no cookie gets no page, no state and no job, and nothing of the folder", async () => {
    for (const path of privatePaths) assert.equal(await statusFor(path, {}), 401, path);
    const wrong = { Cookie: `${studio.cookie.split("=", 1)[0]}=${"a".repeat(43)}` };
    for (const path of privatePaths) assert.equal(await statusFor(path, wrong), 401, path);
    const page = await fetch(studio.url, { headers: { Accept: "text/html" } });
    assert.equal(page.status, 401);
    assert.ok(!(await page.text()).includes(folder));
    const own = { Origin: studio.url, "Content-Type": "application/json" };
    for (const path of ["/api/jobs", "/api/send", "/api/project", "/api/preview"])
      assert.equal(await statusFor(path, own, "POST", "{}"), 401, path);
  });

  test("a form or a script of another page is refused, cookie or not", async () => {
    const job = JSON.stringify({ kind: "create", query: "name=evil&framework=hono" });
    const origins = [
      "https://evil.example",
      "null",
      studio.url.replace("127.0.0.1", "localhost"),
      studio.url.replace(/\d+$/, "1"),
    ];
    for (const origin of origins)
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "application/json"]) {
        const headers = { Cookie: studio.cookie, Origin: origin, "Content-Type": type };
        assert.equal(await statusFor("/api/jobs", headers, "POST", job), 403, origin);
      }
    assert.equal(
      await statusFor("/api/jobs", { Cookie: studio.cookie, "Content-Type": "application/json" }, "POST", job),
      403,
    );
    assert.equal(await statusFor("/api/jobs/abc", { Cookie: studio.cookie }, "DELETE"), 403);
    assert.equal(await statusFor("/api/state", { Cookie: studio.cookie, Origin: "https://evil.example" }), 403);
    const { host } = new URL(studio.url);
    const crossSite = await sendRaw(
      studio.url,
      `GET /api/state HTTP/1.1\r\nHost: ${host}\r\nCookie: ${studio.cookie}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nConnection: close\r\n\r\n`,
    );
    assert.equal(crossSite.status, 403);
    assert.equal(existsSync(join(folder, "evil")), false);
  });

  test("a name that was rebound to this machine is refused", async () => {
    const port = new URL(studio.url).port;
    for (const host of [
      "evil.example",
      `evil.example:${port}`,
      "127.0.0.1",
      "127.0.0.1:1",
      `127.0.0.1.evil.example:${port}`,
      `[::1]:${port}`,
    ]) {
      const { status, text } = await sendRaw(
        studio.url,
        `GET /api/state HTTP/1.1\r\nHost: ${host}\r\nCookie: ${studio.cookie}\r\nConnection: close\r\n\r\n`,
      );
      assert.equal(status, 403, host);
      assert.ok(!text.includes(folder));
    }
    const none = await sendRaw(
      studio.url,
      `GET http://127.0.0.1:${port}/api/state HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`,
    );
    assert.equal(none.status, 403);
  });

  test("no answer allows another origin", async () => {
    for (const path of ["/", "/options", "/api/state", "/projects/a.tgz?framework=hono"]) {
      const answer = await fetch(`${studio.url}${path}`, { headers: { Cookie: studio.cookie } });
      assert.equal(answer.headers.get("access-control-allow-origin"), null);
      assert.equal(answer.headers.get("cross-origin-resource-policy"), "same-origin");
      assert.match(answer.headers.get("content-security-policy") ?? "", /frame-ancestors 'none'/);
    }
    assert.equal(
      await statusFor(
        "/api/jobs",
        { Origin: "https://evil.example", "Access-Control-Request-Method": "POST" },
        "OPTIONS",
      ),
      403,
    );
  });

  test("only folders below its own are used", async () => {
    symlinkSync(outside, join(folder, "link"));
    for (const place of ["..", "../a", "a/../../b", "/tmp/a", outside, "link/a", "link", "a\nb", "a\0b"]) {
      const made = await studio.post("/api/jobs", { kind: "create", query: "name=a&framework=hono", folder: place });
      assert.equal(made.status, 400, place);
      assert.equal((await parse(made)).code, "folder");
      assert.equal((await studio.post("/api/project", { folder: place })).status, 400, place);
    }
    assert.equal(existsSync(join(outside, "a")), false);
    writeFileSync(join(outside, "secret.json"), '{"name":"secret","framework":"hono"}');
    mkdirSync(join(folder, "linked"));
    symlinkSync(join(outside, "secret.json"), join(folder, "linked/dory.json"));
    const linked = await parse(await studio.post("/api/project", { folder: "linked" }));
    assert.equal(linked.project, null);
    assert.match(linked.projectFault, /linked\/dory\.json" is not below/);
  });

  test("names and fields pass the checks of the command line", async () => {
    const wrong: [query: string, parameter: string][] = [
      ["name=a%0Ab&framework=hono", "name"],
      ["name=..&framework=hono", "name"],
      ["name=--json&framework=hono", "name"],
      ["name=a&framework=hono&field=%22);process.exit(:string", "field"],
      ["name=a&framework=../koa", "framework"],
      ["name=a&service=../x=hono", "service"],
    ];
    for (const kind of ["create", "start", "change", "preview-change"])
      for (const [query, parameter] of wrong) {
        const answer = await studio.post("/api/jobs", { kind, query, backend: "main" });
        assert.deepEqual([answer.status, (await parse(answer)).parameter], [400, parameter], `${kind} ${query}`);
      }
  });

  test("wrong requests for jobs are refused, each with what is wrong", async () => {
    const wrong: [body: unknown, status: number, parameter: string | undefined][] = [
      [null, 400, "kind"],
      [{}, 400, "kind"],
      [{ kind: "constructor" }, 400, "kind"],
      [{ kind: "create" }, 400, "query"],
      [{ kind: "start" }, 400, "backend"],
      [{ kind: "start", backend: "../x", query: "framework=hono" }, 400, "backend"],
      [{ kind: "start", backend: "main" }, 400, undefined],
      [{ kind: "stop", backend: "none" }, 404, undefined],
      [{ kind: "check", backend: "none" }, 404, undefined],
      [{ kind: "bench", backends: "none" }, 400, "backends"],
      [{ kind: "bench", backends: ["none"] }, 404, undefined],
      [{ kind: "plan" }, 400, "target"],
      [{ kind: "plan", target: "docker", options: { port: 1 } }, 400, "options"],
      [{ kind: "plan", target: "docker", options: { folder: "/etc" } }, 400, "options"],
      [{ kind: "plan", target: "docker", secrets: [1] }, 400, "secrets"],
      [{ kind: "publish" }, 400, "plan"],
      [{ kind: "unpublish", target: "docker" }, 400, "name"],
    ];
    for (const [body, status, parameter] of wrong) {
      const answer = await studio.post("/api/jobs", body);
      assert.deepEqual([answer.status, (await parse(answer)).parameter], [status, parameter], JSON.stringify(body));
    }
    assert.equal((await studio.post("/api/send", { backend: "none", method: "GET", path: "/" })).status, 404);
  });

  test("a request of 10 MB is refused before it is read", async () => {
    const { host } = new URL(studio.url);
    const { status } = await sendRaw(
      studio.url,
      `POST /api/jobs HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${studio.url}\r\nCookie: ${studio.cookie}\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n${"x".repeat(1000)}`,
    );
    assert.equal(status, 413);
  });

  test("of 1,000 event streams a few are served, and the page still is", async () => {
    const { host, port } = new URL(studio.url);
    const sockets: Socket[] = [];
    const answers: string[] = [];
    for (let count = 0; count < 1000; count++) {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => {}).once("data", (chunk: Buffer) => answers.push(chunk.toString().slice(9, 12)));
      socket.write(`GET /api/events HTTP/1.1\r\nHost: ${host}\r\nCookie: ${studio.cookie}\r\n\r\n`);
      sockets.push(socket);
      if (count % 50 === 49) await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await until(
      () => answers.length >= 100 || sockets.every(({ destroyed, readyState }) => destroyed || readyState === "closed"),
    );
    assert.equal(answers.filter((status) => status === "200").length, 20);
    for (const socket of sockets) socket.destroy();
    await until(async () => (await studio.get("/api/state").catch(() => undefined))?.status === 200);
    const after = await fetch(`${studio.url}/api/events`, { headers: { Cookie: studio.cookie } });
    assert.equal(after.status, 200);
    await after.body?.cancel();
  });

  test("a project that is not trusted runs nothing when it is shown", async () => {
    const place = join(folder, "cloned");
    writeFiles(place, project({ name: "cloned", framework: "hono" }));
    mkdirSync(join(place, ".git"));
    writeFileSync(join(place, ".git/HEAD"), "ref: refs/heads/main\n");
    mkdirSync(join(place, ".git/objects"));
    mkdirSync(join(place, ".git/refs"));
    writeFileSync(
      join(place, ".git/config"),
      `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch ${join(outside, "ran")}\n`,
    );
    const state = await parse(await studio.post("/api/project", { folder: "cloned" }));
    assert.equal(state.project.name, "cloned");
    assert.equal(existsSync(join(outside, "ran")), false);
  });

  test("nor does its submodule, which has a configuration of its own", async () => {
    const [place, mark] = [join(folder, "nested"), join(outside, "nested-ran")];
    writeFiles(place, project({ name: "nested", framework: "hono" }));
    writeFiles(join(place, "vendor"), new Map([["a.txt", "one\n"]]));
    const identity = ["-c", "user.name=test", "-c", "user.email=test@localhost"];
    for (const at of [join(place, "vendor"), place])
      for (const args of [
        ["init", "-q"],
        ["add", "-A"],
        [...identity, "commit", "-qm", "First"],
      ])
        await run(at, "git", ...args);
    await run(place, "git", "config", "submodule.vendor.ignore", "none");
    await run(place, "git", "config", "diff.ignoreSubmodules", "none");
    await run(join(place, "vendor"), "git", "config", "filter.evil.clean", `touch ${mark}; cat`);
    writeFiles(join(place, "vendor/.git/info"), new Map([["attributes", "* filter=evil\n"]]));
    await run(join(place, "vendor"), "touch", "-d", "2001-01-01", "a.txt");
    const state = await parse(await studio.post("/api/project", { folder: "nested" }));
    assert.deepEqual([state.project.isDirty, existsSync(mark)], [false, false]);
    await run(place, "git", "status");
    assert.ok(existsSync(mark), "git by itself does not run it here, so this proves nothing");
  });
});

async function until(isReached: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; waited < 300; waited++) {
    if (await isReached()) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assert.fail("it did not happen within 30 s");
}
