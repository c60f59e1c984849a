import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import type { RequestInput } from "../../src/new/request.ts";
import type { Files } from "../../src/new/slice/slice.ts";

interface Made {
  input: RequestInput;
  files: Files;
}

/** What `dory new` of an older version has made: every text once, and the number of the text of each file. */
export function madeBy(version: string): Made[] {
  const packed = readFileSync(join(import.meta.dirname, "versions", `${version}.json.br`));
  const { texts, projects } = JSON.parse(brotliDecompressSync(packed).toString());
  return projects.map(({ input, files }: { input: RequestInput; files: Record<string, number> }) => ({
    input,
    files: new Map(Object.entries(files).map(([path, text]) => [path, texts[text]])),
  }));
}
