import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { kitFile } from "../../src/kit.ts";
import type { Files } from "../../src/new/slice/slice.ts";
import { backend } from "../support.ts";
import { made, Owner } from "./owner.ts";

const input = { framework: "hono", database: "sqlite" };

describe("the tools in .dory", () => {
  test("are restored by an update, if a change to them was committed", async () => {
    const owner = await Owner.of(input);
    await owner.edit(kitFile, (text) => text.replace("async function", "function"));
    const change = await owner.update();
    assert.match(change.notes.join(), /^\.dory\/dory-.*\.js is not as Dory made it/);
    await owner.has(change, made(input));
    assert.deepEqual((await owner.update()).steps, []);
  });

  test("are restored by an update, if they were deleted", async () => {
    const owner = await Owner.of(input);
    await owner.git("rm", "-rq", ".dory");
    await owner.commit("Delete .dory");
    await owner.has(await owner.update(), made(input));
  });

  test("are restored by any other change", async () => {
    const owner = await Owner.of(input);
    await owner.edit(kitFile, (text) => `${text}// Ours.\n`);
    await owner.has(await owner.add("auth"), made({ ...input, features: ["auth"] }));
  });

  test("are replaced whole by an update, also if the owner changed those of the older version", async () => {
    const owner = await Owner.ofFiles(older(made(input)));
    await owner.edit(".dory/dory-0.0.1.js", (text) => text.replace("async function", "function"));
    await owner.write(".dory/ours.txt", "Ours.\n");
    const change = await owner.update();
    await owner.has(change, new Map([...made(input), [".dory/ours.txt", "Ours.\n"]]));
  });

  test("are replaced whole if other files conflict", async () => {
    const owner = await Owner.ofFiles(older(made(input)));
    await owner.edit(".dory/dory-0.0.1.js", (text) => text.replace("async function", "function"));
    await owner.edit("src/main.ts", (text) => text.replace("start({", "begin({"));
    const { merged } = await owner.update(() => withOther(made(input)));
    assert.deepEqual(merged.conflict?.paths, ["src/main.ts"]);
    assert.equal(owner.read(kitFile), backend.kit);
    assert.equal(await owner.git("status", "--porcelain", "--", ".dory/dory-0.0.1.js"), "D  .dory/dory-0.0.1.js\n");
  });
});

/** The project as an older version of Dory would have made it. */
function older(files: Files): Files {
  const entries = [...files].map(([path, text]): [string, string] => {
    if (path === kitFile) return [".dory/dory-0.0.1.js", `// Older.\n${text}`];
    return [path, /^(package|dory)\.json$/.test(path) ? text.replace(/(dory-|"dory": ")0\.1\.0/, "$10.0.1") : text];
  });
  return new Map(entries);
}

function withOther(files: Files): Files {
  return new Map(
    [...files].map(([path, text]) => [path, path === "src/main.ts" ? text.replace("start({", "go({") : text]),
  );
}
