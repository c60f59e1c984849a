import { join } from "node:path";
import { test } from "node:test";
import { frameworks } from "../../backend/test/support/matrix.ts";
import { writeFiles } from "../src/new/write.ts";
import { backend, project, run, temporaryFolder } from "./support.ts";

/** Plurals of 3 to 28 letters, the longer ones of two words. */
const names = Array.from({ length: 26 }, (_, index) => {
  const letters = "tbcdtfghtjklmntpqrtvwxyzb".slice(0, index + 2);
  return index < 10 ? `${letters}s` : `${letters.slice(0, 7)}-${letters.slice(8)}s`;
});

test("a resource with a name of any length is formatted, in every framework", async () => {
  const folder = temporaryFolder();
  for (const framework of frameworks)
    for (const [index, name] of names.entries()) {
      const features = index % 2 === 0 ? ["item-routes"] : ["auth", "item-routes"];
      const files = project({ framework, features, resources: [`${name}: a:string`] });
      const own = [...files].filter(([path]) => path.startsWith(`src/${name}/`) || /^src\/[\w.-]+$/.test(path));
      writeFiles(join(folder, framework, name), own);
    }
  const { formatter, javascript } = backend.biome;
  writeFiles(folder, [["biome.json", JSON.stringify({ formatter, javascript })]]);
  await run(folder, "biome", "format", ...frameworks);
});
