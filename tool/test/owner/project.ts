import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { writeFiles } from "../../src/new/write.ts";
import { run } from "../support.ts";
import type { Extension } from "./extension.ts";

/** Adds the route of its example, and a second resource. */
export async function followReadme(folder: string): Promise<void> {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  addExampleRoute(folder);
  const [, commands = ""] = /## Adding a resource\n.*?```sh\n(cp .*?)```/s.exec(readme) ?? assert.fail();
  await run(folder, "sh", "-ec", commands);
  // Projects of 0.1.0 say it in the other order.
  const [mounts = ""] =
    /(?<=repeat the lines of `)[^`]+|(?<=In `)[^`]+(?=`, repeat the lines)/.exec(readme) ?? assert.fail();
  edit(join(folder, mounts), mountCopy);
}

/** Adds the route of its example, and mounts it. */
export function addExampleRoute(folder: string): void {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [section = ""] = /## Adding a route\n.*?\nIt automatically/s.exec(readme) ?? assert.fail();
  const blocks = [...section.matchAll(/in `(.+?)`:\n\n```ts\n(.*?)```/gs)];
  const files = blocks.map(([, file = "", code = ""]): [string, string] => [file, code]);
  const [, mount] = files.pop() ?? assert.fail();
  writeFiles(folder, files);
  addMount(folder, mount.split("\n"));
}

/** Adds the code for every request of its example. */
export function addExampleMiddleware(folder: string): void {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [, file = "", above = "", code = ""] =
    /## For every request\n.*? into `(.+?)`,.*? above `(.+?)`:\n\n```ts\n(.*?)```/s.exec(readme) ?? assert.fail();
  const imports = code.match(/^import .*\n/gm) ?? [];
  edit(join(folder, file), (text) => {
    assert.ok(text.includes(above), text);
    const added = text.replace(above, () => `${code.replaceAll(/^import .*\n/gm, "").trim()}\n${above}`);
    return imports.join("") + added;
  });
}

/** Adds the feature of its example. */
export function addExampleFeature(folder: string): void {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [, file = "", code = ""] =
    /## Adding a feature\n.*? In `(.+?)`:\n\n```ts\n(.*?)```/s.exec(readme) ?? assert.fail();
  const [, place = "", line = ""] = /Import it in `(.+?)`,.*?```ts\n(.*?)```/s.exec(readme) ?? assert.fail();
  const [comment = "", name = ""] = line.split("\n");
  writeFiles(folder, [[file, code]]);
  edit(join(folder, place), (text) => {
    assert.ok(text.includes(`${comment}\n`), text);
    const listed = text.replace(`${comment}\n`, () => line);
    return listed.replace(
      /\n\n(?=\/\*\*)/,
      `\nimport { ${name.trim().slice(0, -1)} } from "${file.replace("src/", "./")}";\n\n`,
    );
  });
}

/** Adds the field of its example to the items. */
export function addExampleField(folder: string): void {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [, code = "", line = ""] =
    /## Adding a field\n.*?```ts\n(.*?)\/\/ In the resource:\n(.*?)```/s.exec(readme) ?? assert.fail();
  const imports = code.match(/^import .*\n/gm) ?? [];
  edit(join(folder, "src/items/item.ts"), (text) =>
    text
      .replace(/^import /m, () => `${imports.join("")}import `)
      .replace(/^export const items/m, () => `${code.replaceAll(/^import .*\n/gm, "").trim()}\n\nexport const items`)
      .replace(/^\}\);$/m, () => `${line}});`),
  );
}

/** Adds imports and other lines to the file in which its README mounts a route. */
export function addMount(folder: string, lines: string[]): void {
  const readme = readFileSync(join(folder, "README.md"), "utf8");
  const [, app = ""] = /and mount it in `(.+?)`/.exec(readme) ?? assert.fail();
  edit(join(folder, app), (text) => withLines(text, lines));
}

/** Repeats every line that names the folder: the import and the mount. */
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

/** Adds imports after the others, and the rest after the line that mounts the resources. */
function withLines(text: string, added: string[]): string {
  const lines = text.split("\n");
  const isImport = (line: string) => line.startsWith("import ");
  const mounts = lines.findLastIndex(
    (line) => /\broutes(\(parts\)|, )|plugin: routes|AppRoutesModule/.test(line) && !isImport(line),
  );
  lines.splice(mounts + 1, 0, ...added.filter((line) => line.trim() !== "" && !isImport(line)));
  lines.splice(lines.findLastIndex(isImport) + 1, 0, ...added.filter(isImport));
  return lines.join("\n");
}

export function extend(folder: string, { files, edits }: Extension): void {
  writeFiles(folder, Object.entries(files));
  for (const [path, pairs] of Object.entries(edits))
    for (const [from, to] of pairs)
      edit(join(folder, path), (text) => {
        assert.equal(text.split(from).length, 2, `${from} must be once in ${path}`);
        return text.replace(from, () => to);
      });
}

export function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, "utf8")));
}
