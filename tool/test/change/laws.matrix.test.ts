import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { earlier, isInThisRun } from "../../../backend/test/support/matrix.ts";
import type { RequestInput } from "../../src/new/request.ts";
import { made, Owner } from "./owner.ts";

const title = "title:string(1..80)";

/** What is added, to which project, and the resulting request. */
const additions: [args: string[], from: RequestInput, to: RequestInput][] = [
  [["auth"], { framework: "koa" }, { framework: "koa", features: ["auth"] }],
  [["cors", "auth"], { framework: "nest" }, { framework: "nest", features: ["auth", "cors"] }],
  [
    ["webhooks", "stripe,github"],
    { framework: "elysia", database: "sqlite" },
    { framework: "elysia", database: "sqlite", webhooks: ["github", "stripe"] },
  ],
  [
    ["webhooks", "slack"],
    { framework: "hapi", webhooks: ["github"] },
    { framework: "hapi", webhooks: ["github", "slack"] },
  ],
  [
    ["field", "price:number?", "tags:string[]"],
    { framework: "express", fields: [title], node: "system" },
    { framework: "express", fields: [title, "price:number?", "tags:string[]"], node: "system" },
  ],
  [
    ["resource", "orders: quantity:integer(1..), note:string(..500)?"],
    { framework: "fastify" },
    { framework: "fastify", resources: ["orders: quantity:integer(1..), note:string(..500)?"] },
  ],
  [
    ["item-routes"],
    { framework: "nest", resources: ["orders: itemId:ref(items)"] },
    { framework: "nest", resources: ["orders: itemId:ref(items)"], features: ["item-routes"] },
  ],
];

describe("an unchanged project", () => {
  for (const [args, from, to] of additions.filter((_, index) => isInThisRun(index >= additions.length - 3)))
    test(`is, after dory add ${args.join(" ")}, what dory new makes in ${to.framework}; removed, it is as before`, async () => {
      const owner = await Owner.of(from);
      await owner.has(await owner.add(...args), made(to));
      const names = args.map((arg) => arg.replace(/:.*/, ""));
      await owner.has(await owner.remove(...names), made(from));
    });

  test("changes its framework, database, Node and fields at once, and back", { skip: earlier }, async () => {
    const from: RequestInput = { framework: "fastify", fields: [title, "due:timestamp"] };
    const owner = await Owner.of(from);
    const to: RequestInput = { framework: "hono", database: "postgres", node: "system" };
    const change = await owner.to(to, ["title:string(..20)?"]);
    await owner.has(change, made({ ...to, fields: ["title:string(..20)?", "due:timestamp"] }));
    await owner.has(await owner.to({ framework: "fastify", database: "both", node: "pinned" }, [title]), made(from));
  });

  test("has pristine commits next to its own", { skip: earlier }, async () => {
    const owner = await Owner.of({ framework: "koa" });
    await owner.add("auth");
    await owner.edit("README.md", (text) => `${text}\nMine.\n`);
    await owner.add("cors");
    const log = await owner.git(
      "log",
      "--format=%s|%(trailers:key=Dory,valueonly,separator=%x2C)",
      "--first-parent",
      "HEAD^2",
    );
    const lines = log.trim().split("\n");
    assert.deepEqual(
      lines.map((line) => line.replace(/\|0\.1\.0 [\da-f]{64}$/, "|…")),
      ["Add cors, as Dory makes it|…", "Add auth, as Dory makes it|…", "First commit|…"],
    );
    assert.equal(new Set(lines.map((line) => line.split("|")[1])).size, 3);
    assert.equal(await owner.git("log", "-1", "--format=%s by %an"), "Add cors by Owner\n");
  });

  test("is left alone by an update that changes nothing", { skip: earlier }, async () => {
    const owner = await Owner.of({ framework: "koa" });
    const before = await owner.git("rev-parse", "HEAD");
    const { steps } = await owner.update();
    assert.deepEqual([steps, await owner.git("rev-parse", "HEAD")], [[], before]);
  });
});
