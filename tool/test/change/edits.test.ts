import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Request } from "../../src/new/request.ts";
import { addExampleField } from "../owner/project.ts";
import { made, Owner } from "./owner.ts";

const koa = { framework: "koa" };

describe("what the owner changed", () => {
  test("stays, next to what Dory changes: own files, own lines, settings in dory.json", async () => {
    const owner = await Owner.of(koa);
    await owner.write("src/boats/routes.ts", "export const boats = 1;\n");
    await owner.edit("src/app.ts", (text) => `// Mine, above.\n${text}// Mine, below.\n`);
    await owner.edit("README.md", (text) => text.replace("# my-api\n", "# My API\n\nMine.\n"));
    await owner.edit("dory.json", (text) => text.replace(/\n}\n$/, ',\n  "publish": { "to": "docker" }\n}\n'));
    const change = await owner.add("field", "price:number?");
    assert.equal(change.merged.conflict, undefined);
    const files = await owner.files();
    assert.equal(files.get("src/boats/routes.ts"), "export const boats = 1;\n");
    assert.match(files.get("src/app.ts") ?? "", /^\/\/ Mine, above\.\n[\s\S]*\/\/ Mine, below\.\n$/);
    assert.match(files.get("README.md") ?? "", /^# My API\n\nMine\.\n[\s\S]*`price`/);
    assert.match(files.get("src/items/item.ts") ?? "", /price: optional\(number/);
    const written = JSON.parse(files.get("dory.json") ?? "");
    assert.deepEqual([written.fields, written.publish], [["name:string(1..200)", "price:number?"], { to: "docker" }]);
  });

  test("stays in a resource: fields that the owner wrote, beside those that Dory adds and removes", async () => {
    const owner = await Owner.of(koa);
    addExampleField(owner.folder);
    await owner.commit("A color");
    assert.equal((await owner.add("field", "price:number?", "live:boolean=true")).merged.conflict, undefined);
    const text = owner.read("src/items/item.ts");
    assert.match(text, /\n {2}name: .*\n {2}color: .*\n {2}price: optional\(number\(\)\),\n {2}live: .*\n\}\);\n/);
    assert.match(text, /^import \{ field, optional, withDefault \} from "\.\.\/core\/fields\/field\.ts";$/m);
    assert.equal(text.match(/fields\/field\.ts/g)?.length, 1);
    assert.equal((await owner.remove("field", "price", "live")).merged.conflict, undefined);
    assert.match(owner.read("src/items/item.ts"), /\n {2}name: .*\n {2}color: .*\n\}\);\n/);
  });

  test("stays in a file of which they wrote another group of imports, without a gap", async () => {
    const owner = await Owner.of(koa);
    const above =
      'import * as v from "valibot";\nimport { field, optional } from "../core/fields/field.ts";\n\nconst any = v.string();\n\n';
    await owner.edit("src/items/item.ts", (text) =>
      `${above}${text}`.replace(/^\}\);$/m, '  color: optional(field(any, { column: "text" })),\n});'),
    );
    assert.equal((await owner.add("field", "price:number(min=0)?")).merged.conflict, undefined);
    assert.doesNotMatch(owner.read("src/items/item.ts"), /\n{3}/);
  });

  test("stays in a field of Dory, above a field that Dory adds and removes", async () => {
    const owner = await Owner.of(koa);
    await owner.edit("src/items/item.ts", (text) => text.replace("max: 200", "max: 300"));
    assert.equal((await owner.add("field", "price:number?")).merged.conflict, undefined);
    assert.match(
      owner.read("src/items/item.ts"),
      /\n {2}name: .*max: 300 .*\n {2}price: optional\(number\(\)\),\n\}\);\n/,
    );
    assert.equal((await owner.remove("field", "price")).merged.conflict, undefined);
    assert.match(owner.read("src/items/item.ts"), /\n {2}name: .*max: 300 .*\n\}\);\n/);
  });

  test("stays through two changes in a row, and is not offered again", async () => {
    const owner = await Owner.of({ framework: "hono", features: ["cors"] });
    await owner.edit("src/core/environment.ts", (text) => `${text}\n// Mine.\n`);
    await owner.git("rm", "-q", "biome.json");
    await owner.commit("Another formatter");
    assert.equal((await owner.add("auth")).merged.conflict, undefined);
    assert.equal((await owner.remove("cors")).merged.conflict, undefined);
    const expected = new Map(made({ framework: "hono", features: ["auth"] }));
    expected.delete("biome.json");
    expected.set("src/core/environment.ts", `${expected.get("src/core/environment.ts")}\n// Mine.\n`);
    const owned = await owner.files();
    assert.deepEqual(new Set(owned.keys()), new Set(expected.keys()));
    for (const [path, text] of expected) assert.equal(owned.get(path), text, path);
  });

  test("stays in files that were renamed: the change follows them", async () => {
    const owner = await Owner.of({ framework: "express" });
    await owner.rename("src/items/item.ts", "src/items/schema.ts");
    await owner.rename("src/core/environment.ts", "src/settings/environment.ts");
    const change = await owner.change({
      title: "Both",
      apply: (request) => ({
        ...(request as Request),
        features: ["auth"],
        fields: [...(request as Request).fields, { name: "price", type: "number", isOptional: true }],
      }),
    });
    assert.equal(change.merged.conflict, undefined);
    const files = await owner.files();
    assert.match(files.get("src/items/schema.ts") ?? "", /price: optional\(number/);
    const expected = made({ framework: "express", features: ["auth"] });
    assert.equal(files.get("src/settings/environment.ts"), expected.get("src/core/environment.ts"));
    assert.ok(!files.has("src/items/item.ts") && !files.has("src/core/environment.ts"));
  });

  test("within the lines that Dory changes is an ordinary conflict, and git merge --abort undoes it", async () => {
    const owner = await Owner.of(koa);
    await owner.edit("src/items/item.ts", (text) => text.replace("min: 1,", "min: 3,"));
    const before = await owner.files();
    const change = await owner.to({}, ["name:string(1..100)?"]);
    assert.deepEqual(change.merged.conflict?.paths, ["src/items/item.ts"]);
    const text = owner.read("src/items/item.ts");
    assert.match(text, /^<<<<<<< [\s\S]*min: 3,[\s\S]*^=======$[\s\S]*max: 100[\s\S]*^>>>>>>> /m);
    assert.match(await owner.git("status", "--porcelain"), /^UU src\/items\/item\.ts$/m);
    await assert.rejects(owner.add("auth"), /A merge is not finished/);
    await owner.git("merge", "--abort");
    assert.deepEqual(await owner.files(), before);
  });

  test("and Dory's, after a conflict is resolved, are the base of the next change", async () => {
    const owner = await Owner.of(koa);
    await owner.edit("dory.json", (text) => text.replace('"both",\n', '"both",\n  "features": [],\n'));
    const change = await owner.add("auth");
    assert.deepEqual(change.merged.conflict?.paths, ["dory.json"]);
    await owner.git("checkout", "--theirs", "dory.json");
    await owner.commit("Resolved");
    await owner.has(await owner.add("cors"), made({ ...koa, features: ["auth", "cors"] }));
  });

  test("by deleting a file that Dory changes is a conflict that says so", async () => {
    const owner = await Owner.of(koa);
    await owner.git("rm", "-q", "AGENTS.md");
    await owner.commit("No assistants");
    const { conflict } = (await owner.add("auth")).merged;
    assert.deepEqual([...(conflict?.sides ?? [])], [["AGENTS.md", "13"]]);
    await owner.git("rm", "-q", "AGENTS.md");
    await owner.commit("Still none");
    assert.equal((await owner.remove("auth")).merged.conflict?.paths.join(), "AGENTS.md");
  });

  test("in an owner's routes for another framework is left to the owner", async () => {
    const owner = await Owner.of(koa);
    await owner.edit("src/items/routes.ts", (text) => text.replace(/\.get\(/, '.get("/mine", (context) => {}).get('));
    await owner.write("src/boats/routes.ts", 'import Router from "@koa/router";\nexport const boats = new Router();\n');
    const change = await owner.to({ framework: "fastify" });
    assert.deepEqual(change.merged.conflict?.paths, ["src/items/routes.ts"]);
    assert.match(owner.read("src/boats/routes.ts"), /@koa\/router/);
    assert.match(owner.read("package.json"), /"fastify"/);
  });

  test("everywhere, by another formatter, conflicts where Dory changes lines, and nowhere else", async () => {
    const owner = await Owner.of({ framework: "h3" });
    const tabs = (text: string) => text.replace(/^( {2})+/gm, (spaces) => "\t".repeat(spaces.length / 2));
    const paths = [...(await owner.files()).keys()].filter((path) => path.endsWith(".ts"));
    for (const path of paths) overwrite(owner, path, tabs);
    await owner.commit("Tabs");
    const change = await owner.add("field", "price:number?");
    assert.deepEqual(change.merged.conflict?.paths, ["src/items/item.ts"]);
    await owner.git("checkout", "--theirs", "src/items/item.ts");
    overwrite(owner, "src/items/item.ts", tabs);
    await owner.commit("Resolved");
    const expected = made({ framework: "h3", fields: ["name:string(1..200)", "price:number?"] });
    for (const [path, text] of await owner.files())
      assert.equal(text, paths.includes(path) ? tabs(expected.get(path) ?? "") : expected.get(path), path);
  });
});

function overwrite(owner: Owner, path: string, change: (text: string) => string): void {
  writeFileSync(join(owner.folder, path), change(owner.read(path)));
}
