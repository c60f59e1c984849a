import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { before, describe, test } from "node:test";
import { readRequest } from "../../src/new/request.ts";
import type { ChangePreview } from "../../src/studio/api.ts";
import { Backends } from "../../src/studio/backends.ts";
import { Events } from "../../src/studio/events.ts";
import { pathWith } from "../dory.ts";
import { backend, run, temporaryFolder } from "../support.ts";
import { parse, serveLocal } from "./serve.ts";
import { follow, listEvents, shareInstalledPackages, waitForJob, work } from "./work.ts";

describe("the jobs of a studio", () => {
  const folder = temporaryFolder();
  let studio: Awaited<ReturnType<typeof serveLocal>>;
  const query = "name=shop&framework=hono&field=name:string&with=auth&node=system";
  const state = async () => parse(await studio.get("/api/state"));
  before(async () => {
    shareInstalledPackages();
    studio = await serveLocal(folder);
  });

  test("without a project there is none to show, to start or to change", async () => {
    assert.equal((await state()).project, null);
    const { fault } = await work(studio, { kind: "preview-change", query });
    assert.equal(fault?.code, "no_project");
  });

  test("a project is made as dory new makes it, and shown from then on", async () => {
    const { state: ended, fault } = await work(studio, { kind: "create", query });
    assert.deepEqual([ended, fault], ["done", null]);
    const { project, projects } = await state();
    assert.deepEqual([project.name, project.folder, projects], ["shop", "shop", ["shop"]]);
    assert.deepEqual([project.isInstalled, project.hasRepository, project.isDirty], [true, true, false]);
    assert.deepEqual([project.secrets, project.knownSecrets], [["API_TOKENS"], ["API_TOKENS"]]);
    assert.match(project.query, /^name=shop&framework=hono&database=both&field=name:string&with=auth&node=system$/);
    const log = await run(join(folder, "shop"), "git", "log", "--format=%s %b");
    assert.match(log, /^First commit Dory: /);
    const lines = (await listEvents(studio)).flatMap((event) => (event.type === "line" ? [event.text] : []));
    assert.ok(lines.some((line) => /^Made .*shop: \d+ files$/.test(line)));
    const secret = /API_TOKENS=(\w+)/.exec(readFileSync(join(folder, "shop/.env"), "utf8"))?.[1] ?? "-";
    assert.ok(!JSON.stringify([await state(), await listEvents(studio)]).includes(secret), "no secret is sent");
  });

  test("a folder that is not empty is refused in the words of the command line", async () => {
    const { state: ended, fault } = await work(studio, { kind: "create", query });
    assert.deepEqual([ended, fault?.code], ["failed", "folder_not_empty"]);
  });

  test("a change is previewed as the merge that it would be, and changes nothing", async () => {
    const wanted = query.replace("hono", "koa").replace("&with=auth", "&with=cors&field=price:number?");
    const { result } = await work(studio, { kind: "preview-change", query: wanted });
    const { title, files, conflicts, isNothing, notes } = result as ChangePreview;
    assert.equal(title, "Change framework to koa, add field price, add cors, remove auth");
    assert.deepEqual([conflicts, isNothing], [[], false]);
    const item = files.find(({ path }) => path === "src/items/item.ts");
    assert.equal(item?.state, "changed");
    assert.match(item?.diff ?? "", /^@@ .*\n(.*\n)*\+ +price: optional\(number\(\)\),$/m);
    assert.ok(files.some(({ path, state: kind }) => path.startsWith("src/core/koa/") && kind === "added"));
    assert.ok(files.some(({ path, state: kind }) => path.startsWith("src/core/hono/") && kind === "removed"));
    assert.ok(notes.some((note) => /Routes that you wrote for hono/.test(note)));
    assert.equal((await state()).project.isDirty, false);
    assert.equal((await state()).project.request.framework, "hono");
  });

  test("the same choices are nothing to change, and another name is refused", async () => {
    const { result } = await work(studio, { kind: "preview-change", query });
    assert.equal((result as ChangePreview).isNothing, true);
    const { fault } = await work(studio, { kind: "preview-change", query: query.replace("shop", "store") });
    assert.equal(fault?.code, "name");
  });

  test("a change that conflicts names the files, and a change that does not is merged", async () => {
    const item = join(folder, "shop/src/items/item.ts");
    const own = readFileSync(item, "utf8");
    writeFileSync(item, own.replace("name: string()", "title: string()"));
    await commit("Rename");
    const wanted = query.replace("name:string", "name:integer");
    const { result } = await work(studio, { kind: "preview-change", query: wanted });
    assert.deepEqual((result as ChangePreview).conflicts, ["src/items/item.ts"]);
    writeFileSync(item, own);
    appendFileSync(join(folder, "shop/README.md"), "\nMine.\n");
    await commit("Mine");
    const changed = await work(studio, { kind: "change", query: `${query}&field=price:number?` });
    assert.deepEqual([changed.state, changed.fault], ["done", null]);
    assert.match(readFileSync(item, "utf8"), /price: optional\(number\(\)\)/);
    assert.match(readFileSync(join(folder, "shop/README.md"), "utf8"), /\nMine\.\n$/);
    assert.deepEqual((await state()).project.request.fields, ["name:string", "price:number?"]);
  });

  test("a project that cannot be read is named with what is wrong", async () => {
    const show = async (place: string, text: string) => {
      mkdirSync(join(folder, place));
      writeFileSync(join(folder, place, "dory.json"), text);
      return parse(await studio.post("/api/project", { folder: place }));
    };
    const broken = await show("broken", "{");
    assert.equal(broken.project, null);
    assert.match(broken.projectFault, /is not valid JSON/);
    assert.match(
      (await show("odd", '{"name":"odd","framework":"rails"}')).projectFault,
      /^There is no framework "rails"/,
    );
    const services =
      '{"name":"many","services":{"api":{"framework":"hono"},"b":{"framework":"koa","features":["auth"]}}}';
    const uneven = await show("many", services);
    assert.match(uneven.projectFault, /^The services of many differ in more than their frameworks/);
    assert.deepEqual([uneven.project.name, uneven.project.query], ["many", ""]);
    const { fault } = await work(studio, { kind: "preview-change", query: "name=many&service=api=hono" });
    assert.equal(fault?.message, uneven.projectFault);
    const shown = await parse(await studio.post("/api/project", { folder: "shop" }));
    assert.deepEqual([shown.project.name, shown.projectFault], ["shop", null]);
  });

  test("an application is made, shown, changed and not run", async () => {
    const services = "name=parts&service=api=hono&service=jobs=koa&field=name:string&node=system";
    const made = await work(studio, { kind: "create", query: services });
    assert.deepEqual([made.state, made.fault], ["done", null]);
    const { project, projectFault } = await state();
    assert.deepEqual([project.name, project.hasRepository, projectFault], ["parts", true, null]);
    assert.deepEqual(
      new URLSearchParams(project.query).toString(),
      new URLSearchParams(services.replace("&field", "&database=both&field")).toString(),
    );
    const preview = async (query: string) => work(studio, { kind: "preview-change", query });
    const wanted = `${services.replace("jobs=koa", "jobs=h3")}&service=web=koa&with=cors`;
    const { title, files, conflicts } = (await preview(wanted)).result as ChangePreview;
    assert.equal(title, "Add service web, change service jobs, add cors");
    assert.deepEqual(conflicts, []);
    assert.ok(files.some(({ path, state: kind }) => path === "web/package.json" && kind === "added"));
    const changed = await work(studio, { kind: "change", query: wanted });
    assert.deepEqual([changed.state, changed.fault], ["done", null]);
    assert.match((await state()).project.query, /&service=api=hono&service=jobs=h3&service=web=koa&.*&with=cors&/);
    assert.equal((await preview("name=parts&framework=koa")).fault?.code, "last_service");
    for (const query of [wanted, undefined]) {
      const refused = await studio.post("/api/jobs", { kind: "start", backend: "main", ...(query && { query }) });
      assert.equal(refused.status, 400);
      assert.match((await parse(refused)).detail, /npm start in its folder/);
    }
    await studio.post("/api/project", { folder: "shop" });
    assert.equal((await preview("name=shop&service=api=hono")).fault?.code, "no_application");
  });

  test("a job can be cancelled: nothing is left of a project that was being made", async () => {
    const path = process.env["PATH"];
    process.env["PATH"] = pathWith({ npm: "exec sleep 60" });
    const { id } = await parse(
      await studio.post("/api/jobs", { kind: "create", query: query.replace("shop", "late") }),
    );
    for await (const event of follow(studio, 0))
      if (event.type === "line" && /^Installing packages/.test(event.text) && event.job === id) break;
    const busy = await studio.post("/api/jobs", { kind: "create", query: query.replace("shop", "third") });
    assert.deepEqual([busy.status, (await parse(busy)).code], [409, "busy"]);
    const headers = { Cookie: studio.cookie, Origin: studio.url };
    const cancelled = await fetch(`${studio.url}/api/jobs/${id}`, { method: "DELETE", headers });
    assert.equal(cancelled.status, 204);
    assert.equal((await waitForJob(studio, id)).state, "cancelled");
    assert.equal(existsSync(join(folder, "late")), false);
    process.env["PATH"] = path;
    assert.equal((await fetch(`${studio.url}/api/jobs/${"0".repeat(12)}`, { method: "DELETE", headers })).status, 404);
  });

  test("if npm fails, the project is there, and is shown", async () => {
    const path = process.env["PATH"];
    process.env["PATH"] = pathWith({ npm: "exit 1" });
    const { fault } = await work(studio, { kind: "create", query: query.replace("shop", "bare") });
    process.env["PATH"] = path;
    assert.equal(fault?.code, "npm_install");
    const { project } = await state();
    assert.deepEqual([project.folder, project.isInstalled], ["bare", false]);
  });

  test("a page that comes back gets what it has missed, once and in order", async () => {
    const all = await listEvents(studio);
    assert.deepEqual(
      all.map(({ id }) => id),
      all.map((_, index) => index + 1),
    );
    const middle = all[Math.floor(all.length / 2)]?.id ?? 0;
    const ids = [];
    for await (const { id } of follow(studio, middle)) {
      ids.push(id);
      if (id === all.at(-1)?.id) break;
    }
    assert.deepEqual(
      ids,
      all.map(({ id }) => id).filter((id) => id > middle),
    );
  });

  async function commit(message: string): Promise<void> {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
    await run(join(folder, "shop"), "git", ...identity, "commit", "-qam", message);
  }
});

test("what happens after the studio was closed is written to no page", async () => {
  const events = new Events();
  const page = Object.assign(new PassThrough(), { writeHead: () => {} });
  let isWrong = false;
  page.once("error", () => (isWrong = true));
  events.follow(0)(page as unknown as ServerResponse);
  events.close();
  events.add({ type: "state" });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([isWrong, page.writableEnded], [false, true]);
});

test("a backend that is stopped has not failed, and is not stopped twice", async () => {
  const main = 'require("http").createServer((_, answer) => answer.end()).listen(process.env.PORT, "127.0.0.1")';
  const { events, backends, start } = prepare(main);
  await start();
  await backends.stop("main");
  const [state] = backends.list();
  assert.deepEqual([state?.state, state?.url, state?.reason], ["stopped", null, null]);
  const { last } = events;
  await backends.close();
  assert.equal(events.last, last);
});

test("a backend that has ended before it was healthy is not asked any more", async () => {
  const { lines, start } = prepare("console.log(process.env.PORT); process.exit(1)");
  await assert.rejects(start(), /exit code 1/);
  let asked = 0;
  const server = createServer((_, answer) => {
    asked++;
    answer.end();
  });
  await once(server.listen(Number(lines.find((line) => /^\d+$/.test(line))), "127.0.0.1"), "listening");
  await new Promise((resolve) => setTimeout(resolve, 500));
  server.close().closeAllConnections();
  assert.equal(asked, 0);
});

/** A backend of one file, and a way to start it. */
function prepare(main: string) {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "node_modules"));
  writeFileSync(join(folder, "main.cjs"), main);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts: { start: "node main.cjs" } }));
  const lines: string[] = [];
  const events = new Events();
  const add = events.add.bind(events);
  events.add = (event) => {
    if (event.type === "line") lines.push(event.text);
    add(event);
  };
  const backends = new Backends(events, () => backend, undefined);
  const request = readRequest({ name: "a", framework: "hono" });
  const reporter = { say() {}, begin: () => undefined, interrupted: new AbortController().signal };
  return {
    events,
    lines,
    backends,
    start: () => backends.start({ key: "main", request, folder, query: null }, reporter),
  };
}
