import { inOrder } from "../new/slice/imports.ts";
import { listDeclared, type Node, parse } from "../new/slice/syntax.ts";

/** An import of a file. */
export interface Import {
  /** What it imports, however it is written. */
  key: string;
  source: string;
  /** The names in the code. */
  declared: string[];
  /** Its list of names, if it has nothing else. */
  names: string[] | undefined;
  /** Its lines, with the comments on them and above. */
  code: string;
}

/** Where the imports of a file are. */
export const place = /^import;\n/gm;

/** The imports of a file, and the rest, with one line in their place. */
export function splitImports(text: string): { imports: Import[]; rest: string } {
  const imports: Import[] = [];
  let rest = "";
  let end = 0;
  for (const node of parse("imports.ts", text).program["body"] as Node[]) {
    if (node.type !== "ImportDeclaration") continue;
    const between = text.slice(end, node.start);
    const isFirst = imports.length === 0;
    // What is above the first one is about the file.
    const above = isFirst || !isComment(between) ? "" : between;
    const [tail = ""] = /^[^\S\n]*(\/\/.*|\/\*((?!\*\/).)*\*\/[^\S\n]*)?(\n|$)/.exec(text.slice(node.end)) ?? [];
    end = node.end + tail.length;
    rest += `${above === "" ? between : ""}${isFirst ? "import;\n" : ""}`;
    imports.push(readImport(text, node, `${above}${text.slice(node.start, end)}`));
  }
  rest += text.slice(end);
  // A group of imports had a blank line above and below it.
  return { imports, rest: /\n{3}/.test(text) ? rest : rest.replaceAll(/\n{3,}/g, "\n\n") };
}

const isComment = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, "").trim() === "";

function readImport(text: string, node: Node, code: string): Import {
  const { value: source, end } = node["source"] as Node & { value: string };
  const specifiers = node["specifiers"] as Node[];
  const written = specifiers.map((one) => text.slice(one.start, one.end).replaceAll(/\s+/g, " "));
  const types = specifiers.map(({ type }) => type);
  const attributes = text.slice(end, node.end).replace(/;$/, "");
  const isList = types.length > 0 && types.every((type) => type === "ImportSpecifier");
  return {
    key: JSON.stringify([source, node["importKind"], [...types].sort(), [...written].sort(), attributes]),
    source,
    declared: listDeclared(node),
    names: isList && node["importKind"] === "value" && attributes === "" ? written : undefined,
    code: code.replace(/\n*$/, "\n"),
  };
}

/**
 * Their imports, with those that the owner added after the ones they followed. Undefined if one name comes from two
 * files, or if a comment of the owner would be lost.
 */
export function mergeImports(base: Import[], ours: Import[], theirs: Import[], rest: string): string | undefined {
  const removed = base.filter((one) => !has(ours, one));
  const merged = theirs.filter((one) => !has(removed, one));
  for (const [index, one] of ours.entries()) {
    if (has(base, one) || has(merged, one)) continue;
    const above = ours.slice(0, index).findLast((other) => has(merged, other));
    const position = merged.findIndex(({ key }) => key === above?.key);
    merged.splice(position + 1, 0, one);
  }
  const isChangedByBoth = removed.some((one) => !has(theirs, one));
  const joined = joinNames(merged, isChangedByBoth ? rest : undefined);
  const code = joined?.map((one) => writeImport(one, base, ours)).join("");
  return code === undefined || losesComment(base, ours, code) ? undefined : code.replace(/^\n+/, "");
}

const has = (imports: Import[], { key }: Import) => imports.some((one) => one.key === key);

/**
 * One import of each file: both sides may have begun to use it, for other names. Where both changed the same import,
 * the names that the code uses decide. Undefined if one name comes from two files.
 */
function joinNames(imports: Import[], code: string | undefined): Import[] | undefined {
  const sources = new Map<string, string>();
  for (const { source, names = [] } of imports)
    for (const name of names.filter((one) => isUsed(one, code))) {
      if ((sources.get(name) ?? source) !== source) return undefined;
      sources.set(name, source);
    }
  const joined = new Map<string, Import>();
  for (const one of imports) {
    const names = one.names && [...sources].flatMap(([name, from]) => (from === one.source ? [name] : []));
    const key = names ? one.source : one.key;
    if (!joined.has(key) && names?.length !== 0) joined.set(key, { ...one, names });
  }
  return [...joined.values()];
}

function isUsed(name: string, code: string | undefined): boolean {
  return code === undefined || new RegExp(`\\b${name.replace(/^type |.* as /, "")}\\b`).test(code);
}

/** As the owner wrote it, if the owner changed its code, but with these names. */
function writeImport({ key, source, names, code }: Import, base: Import[], ours: Import[]): string {
  const isSame = (one: Import) => (names ? one.names !== undefined && one.source === source : one.key === key);
  const mine = ours.find(isSame);
  const template = mine && mine.code !== base.find(isSame)?.code ? mine.code : code;
  if (!names) return template;
  const [list = ""] = /(?<=^import\s*)\{[^}]*\}/m.exec(template) ?? [];
  const written = list
    .replaceAll(/[{}\s]+/g, " ")
    .replace(/,? $/, "")
    .trim()
    .split(/ ?, ?/);
  if ([...written].sort().join() === [...names].sort().join()) return template;
  return template.replace(list, () => writeNames(names, source));
}

/** As the formatter does: on a line, if they fit. */
function writeNames(names: string[], source: string): string {
  const sorted = inOrder(names);
  const line = `{ ${sorted.join(", ")} }`;
  const isShort = `import ${line} from "${source}";`.length <= 120;
  return isShort ? line : `{\n${sorted.map((name) => `  ${name},\n`).join("")}}`;
}

function losesComment(base: Import[], ours: Import[], merged: string): boolean {
  const listComments = (code: string) => code.match(/\/\/.*|\/\*[\s\S]*?\*\//g) ?? [];
  const [before, mine] = [base, ours].map((imports) => imports.flatMap(({ code }) => listComments(code)));
  const kept = listComments(merged);
  const count = (all: string[] = [], comment: string) => all.filter((one) => one === comment).length;
  return (mine ?? []).some((one) => count(kept, one) < count(mine, one) && count(before, one) < count(mine, one));
}
