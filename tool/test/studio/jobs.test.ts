import assert from "node:assert/strict";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import type { ChangePreview } from "../../src/studio/api.ts";
import { pathWith } from "../dory.ts";
import { run, temporaryFolder } from "../support.ts";
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
