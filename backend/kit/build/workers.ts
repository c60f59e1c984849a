import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PartialMessage } from "esbuild";
import { toUrl } from "./place.ts";

/** The address of another file of code: `new URL("./resize.ts", import.meta.url)`. */
const address = /\bnew URL\(\s*["'](\.{1,2}\/[^"']+\.[cm]?[jt]s)["']\s*,\s*import\.meta\.url\s*,?\s*\)/g;

/** The files that run alone, like workers, each with its own bundle at the top of `dist`. */
export function findWorkers(root: string): { in: string; out: string }[] {
  const places = readOwnCode(root).flatMap(([place, code]) =>
    [...code.matchAll(address)].map(([, file = ""]) => join(dirname(place), file)),
  );
  const found = [...new Set(places)].filter((place) => existsSync(join(root, "src", place)));
  return found.map((place) => ({ in: join("src", place), out: bundleName(place) }));
}

/** Own code that finds these bundles. */
export function locateWorkers(code: string, path: string): string {
  return code.replace(address, (_, file) => {
    return toUrl(`${bundleName(join(dirname(path), file))}.cjs`);
  });
}

/** What is said about workers whose files the build cannot find. */
export function findUnknownWorkers(root: string): PartialMessage[] {
  const text =
    'The build cannot see which file this worker runs. Write new Worker(new URL("./file.ts", import.meta.url)).';
  const using = readOwnCode(root).filter(([, code]) => /["'](node:)?worker_threads["']/.test(code));
  return using.flatMap(([place, code]) =>
    code.split("\n").flatMap((lineText, index) => {
      const column = lineText.replace(address, "").search(/\bnew Worker\((?!\s*[,)]|\s*$|.*\beval:)/);
      const file = join("src", place);
      return column < 0 ? [] : [{ text, location: { file, line: index + 1, column, lineText } }];
    }),
  );
}

const bundleName = (place: string) => `worker-${place.replace(/\.\w+$/, "").replaceAll(/[\\/]/g, "-")}`;

/** The files in `src`, without comments at the start of a line. */
function readOwnCode(root: string): [place: string, code: string][] {
  const places = globSync("**/*.{ts,js,mts,mjs,cts,cjs}", { cwd: join(root, "src"), exclude: ["**/node_modules"] });
  return places.map((place) => [
    place,
    readFileSync(join(root, "src", place), "utf8").replace(/^[ \t]*(\/\/|\/\*|\*).*$/gm, ""),
  ]);
}
