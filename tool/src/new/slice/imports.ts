import { dirname, normalize, relative } from "node:path/posix";
import { rememberAt } from "./remember.ts";

/** The files that a file imports. */
export const listImported = rememberAt((path, text): string[] =>
  [...text.matchAll(localImport), ...text.matchAll(dynamicImport)].map(([, , specifier = ""]) =>
    target(path, specifier),
  ),
);

/** The files that a file imports, and the names in each import; `*` if they are not known. */
export const listImports = rememberAt((path, text): [file: string, names: string[]][] => [
  ...[...text.matchAll(dynamicImport)].map(([, , specifier = ""]): [string, string[]] => [
    target(path, specifier),
    ["*"],
  ]),
  ...[...text.matchAll(localImport)].map(([, clause = "", specifier = ""]): [string, string[]] => [
    target(path, specifier),
    clause.match(/\w+|\*/g) ?? [],
  ]),
]);

export function rewriteImports(source: string, respelled: (specifier: string) => string): string {
  const respellOne = (_: string, before: string, specifier: string) => `${before}${respelled(specifier)}`;
  return source.replace(localImport, respellOne).replace(dynamicImport, respellOne);
}

/** An import or re-export of a file, in formatted code. A regular expression, because parsing every file is slow. */
const localImport = /^((?:import|export)\b(?:[^;]*?\bfrom)? ["'])(\.[^"']+)/gm;

/** `import("./log.ts")`, in code or as a type. */
const dynamicImport = /(\bimport\(["'])(\.[^"']+)(?=["']\))/g;

/** Sorts the imports of a moved file as the formatter does, the farthest first. */
export function sortImports(text: string): string {
  const block = /(?:^import [^;]*? from "\.[^"]+";\n)+/m.exec(text)?.[0] ?? "";
  const statements = block.match(/^import [^;]*? from "\.[^"]+";\n/gm) ?? [];
  // Files in a folder come before a file of that name.
  const toKey = (statement: string) => / from "(.+)";/.exec(statement)?.[1]?.replaceAll("/", "\0") ?? "";
  const measureDistance = (specifier: string) => specifier.split("..\0").length;
  const sorted = statements.toSorted((one, other) => {
    const [a, b] = [toKey(one), toKey(other)];
    return measureDistance(b) - measureDistance(a) || (a < b ? -1 : 1);
  });
  return text.replace(block, () => sorted.join(""));
}

/** Sorts the names in imports of a renamed file. */
export function sortNames(text: string): string {
  return text.replace(/^import \{ ([^}]+) \} from "\./gm, (whole, list: string) =>
    whole.replace(list, () => inOrder(list.split(", ")).join(", ")),
  );
}

/** The names of an import as the formatter sorts them, ignoring case. */
export function inOrder(names: string[]): string[] {
  const toKey = (name: string) => name.replace(/^type /, "").toLowerCase();
  return names.toSorted((one, other) => (toKey(one) < toKey(other) ? -1 : 1));
}

/** The file that an import names. */
export const target = (from: string, specifier: string) => normalize(`${dirname(from)}/${specifier}`);
export const respell = (from: string, path: string) => relative(dirname(from), path).replace(/^(?!\.)/, "./");
