import { dirname, join, normalize, relative } from "node:path/posix";

/** The files that a file imports. */
export function importsOf(path: string, text: string): string[] {
  return [...text.matchAll(localImport)].map(([, , specifier = ""]) => target(path, specifier));
}

export function rewriteImports(source: string, respelled: (specifier: string) => string): string {
  return source.replace(localImport, (_, before, specifier) => `${before}${respelled(specifier)}`);
}

/** An import or re-export of a file, in formatted code. Parsing every file for these would take most of the time. */
const localImport = /^((?:import|export)\b[^;]*?\bfrom ")(\.[^"]+)/gm;

/** The imports of a moved file have other paths; the formatter wants them sorted, the farthest first. */
export function sortImports(text: string): string {
  const block = /(?:^import [^;]*? from "\.[^"]+";\n)+/m.exec(text)?.[0] ?? "";
  const statements = block.match(/^import [^;]*? from "\.[^"]+";\n/gm) ?? [];
  // What is in a folder comes before a file of that name.
  const keyOf = (statement: string) => / from "(.+)";/.exec(statement)?.[1]?.replaceAll("/", "\0") ?? "";
  const distance = (specifier: string) => specifier.split("..\0").length;
  const inOrder = statements.toSorted((one, other) => {
    const [a, b] = [keyOf(one), keyOf(other)];
    return distance(b) - distance(a) || (a < b ? -1 : 1);
  });
  return text.replace(block, () => inOrder.join(""));
}

/** The names in an import of a renamed file have another order. Upper and lower case do not count in it. */
export function sortNames(text: string): string {
  return text.replace(/^import \{ ([^}]+) \} from "\./gm, (whole, list: string) => {
    const keyOf = (name: string) => name.replace(/^type /, "").toLowerCase();
    const names = list.split(", ").toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));
    return whole.replace(list, () => names.join(", "));
  });
}

export const target = (from: string, specifier: string) => normalize(join(dirname(from), specifier));
export const respell = (from: string, path: string) => relative(dirname(from), path).replace(/^(?!\.)/, "./");
