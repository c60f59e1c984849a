import { basename, dirname } from "node:path/posix";
import { lineWidth } from "../../../../backend/kit/openapi/json.ts";
import { Fault } from "../../fault.ts";
import { type Names, toNames } from "../names.ts";
import { findReferences } from "./cut.ts";
import { sortImports, sortNames } from "./imports.ts";
import { remember } from "./remember.ts";
import { isReference, type Node, parse, readName, visit } from "./syntax.ts";

/** The path of the items' file that a file of another resource is copied from. */
export function findOriginal({ plural, singular }: Names, path: string): string {
  const file = basename(path);
  const original =
    file === `${singular}.ts` ? "item.ts" : file.replace(new RegExp(`^${plural}(?=\\.\\w+\\.ts$)`), "items");
  return `${dirname(dirname(path))}/items/${original}`;
}

/** A copy of a file of the items, with the names of another resource. */
export function copyFile(names: Names, path: string, source: string): string {
  const edits = listRenames(names, path, source);
  return sortNames(sortImports(breakLongLines(applyRenames(source, 0, source.length, edits))));
}

/** Repeats the lines that import and mount the items for the other resources, in their order. */
export function repeatMounts(all: { name: string }[], path: string, source: string): string {
  if (all.length === 1) return source;
  const { program } = parseMounts(source);
  const imported = (program["body"] as Node[]).find((one) => /\.\/items\//.test(readSpecifier(one)));
  const [local] = (imported?.["specifiers"] as Node[] | undefined) ?? [];
  if (!imported || !local) throw new Fault("slice_missing", `${path} does not import the items.`);
  const mounts = findReferences(program, readName(local["local"]), [imported]);
  if (mounts.length === 0) throw new Fault("slice_missing", `${path} does not mount the items.`);
  const copied = [[imported], ...mounts.map(([node, above]) => [...above, node])].map((nodes) =>
    findLines(source, nodes),
  );
  const edits = all.map(({ name }) => (name === "items" ? [] : listRenames(toNames(name), path, source)));
  const mounted = copied.map(({ start, end }): Rename => {
    const copies = edits.map((some) => breakLongLines(applyRenames(source, start, end, some)));
    return { start, end, text: copies.join("") };
  });
  return sortImports(applyRenames(source, 0, source.length, mounted));
}

const parseMounts = remember((source) => parse("the mounts", source));

const mention = /items?/i;

interface Rename {
  start: number;
  end: number;
  text: string;
}

/** What in a text may be named after the items, and the names that it uses for something else. */
const findMentions = remember((source) => {
  const { program, comments } = parse("a copy", source);
  const bound = new Set<string>();
  const identifiers: { start: number; name: string }[] = [];
  const texts: { start: number; end: number }[] = [];
  visit(program, (node, above) => {
    if (isReference(node, above) && !mention.test(readName(node))) bound.add(readName(node));
    const { type, start, end } = node;
    if (type === "Identifier" && mention.test(readName(node))) identifiers.push({ start, name: readName(node) });
    if (type === "StringLiteral") texts.push({ start, end });
  });
  return { bound, identifiers, texts: [...texts, ...comments] };
});

/** Edits that rename everything named after the items: variables, types, paths, texts and comments. */
function listRenames(names: Names, path: string, source: string): Rename[] {
  const { bound, identifiers, texts } = findMentions(source);
  const chooseSingular = () => (isFree(names.variables[1], bound) ? names.variables[1] : `new${names.types[1]}`);
  const edits = [
    ...identifiers.map(({ start, name }) => ({ start, end: start + name.length, text: renameInCode(name) })),
    ...texts.map(({ start, end }) => ({ start, end, text: renameInText(start, end) })),
  ];

  function renameInCode(name: string): string {
    if (name === "item") return chooseSingular();
    const [[items, item], [Items, Item]] = [names.variables, names.types];
    const spellings: Record<string, string> = { items, item, Items, Item };
    const renamed = name.replace(/^items?|Items?/, (own) => spellings[own] ?? own);
    if (name !== renamed && !isFree(renamed, bound)) throw takenFault(names, renamed);
    return renamed;
  }
  function renameInText(start: number, end: number): string {
    return source
      .slice(start, end)
      .replace(/\bitem(s?)\b(?!-routes)/g, (_, s) => (s === "" ? names.singular : names.plural));
  }
  const made = edits.filter(({ start, end, text }) => source.slice(start, end) !== text);
  const left = [...source.matchAll(/items?(?!-routes)/gi)].find(({ index }) => !made.some((edit) => isIn(edit, index)));
  if (left) throw new Fault("slice_rename", `${path}: "${left[0]}" at ${left.index} cannot be renamed.`);
  return made;
}

const isIn = ({ start, end }: Rename, index: number) => start <= index && index < end;

const reservedWords = new Set(
  "await break case catch class const continue debugger default delete do else enum export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield".split(
    " ",
  ),
);

function isFree(name: string, bound: Set<string>): boolean {
  return !reservedWords.has(name) && !bound.has(name);
}

function takenFault({ plural }: Names, name: string): Fault {
  return new Fault("resource_name", `"${plural}" cannot name a resource: the code has another "${name}". Rename it.`);
}

/** A range of a text with edits applied. */
function applyRenames(source: string, from: number, to: number, edits: Rename[]): string {
  let [text, at] = ["", from];
  for (const { start, end, text: own } of edits.toSorted((a, b) => a.start - b.start)) {
    if (start < at || end > to) continue;
    text += source.slice(at, start) + own;
    at = end;
  }
  return text + source.slice(at, to);
}

/** Breaks lines that became too long, as the formatter does: one argument per line, or one member of the last one, if the others fit. */
function breakLongLines(text: string): string {
  const lines = text.split("\n");
  return lines.map((line) => (line.length > lineWidth ? line.replace(listInLine, breakList) : line)).join("\n");
}

const listInLine = /^( *)((?!import )[^(]*\()(\{ )?(.*?)( \})?(\)(?:: [^(){}]+)?(?:(?: =>)? \{|;)?)$/;

function breakList(_: string, indent: string, open: string, brace = "", list = "", braced = "", close = ""): string {
  const [start, inside, end] = brace ? [`${open}{`, list, `}${close}`] : [open, list + braced, close];
  const parts = splitList(inside);
  const [last = "", first] = [parts.at(-1), `${indent}${open}${parts.slice(0, -1).join(", ")}, {`];
  const [from, lines, to] =
    /^\{ .* \}$/.test(last) && parts.length > 1 && /^\);?$/.test(end) && first.length <= lineWidth
      ? [first, splitList(last.slice(2, -2)), `}${end}`]
      : [`${indent}${start}`, parts, end];
  return `${from}\n${lines.map((line) => `${indent}  ${line},\n`).join("")}${indent}${to}`;
}

function splitList(text: string): string[] {
  const parts = text.match(/(?:\([^()]*\)|\{[^{}]*\}|<[^<>]*>|[^,])+/g) ?? [];
  return parts.map((part) => part.trim());
}

/** The lines of the innermost node that does not share its lines with other code. */
function findLines(source: string, nodes: Node[]): { start: number; end: number } {
  for (const { start, end } of nodes.toReversed().flatMap(listRanges)) {
    const lineStart = source.lastIndexOf("\n", start - 1) + 1;
    const lineEnd = source.indexOf("\n", end) + 1;
    const isFilled = source.slice(lineStart, start).trim() === "" && /^[,;]?\n$/.test(source.slice(end, lineEnd));
    if (isFilled) return { start: lineStart, end: lineEnd };
  }
  throw new Fault("slice_copy", "The code that mounts the items shares its line with other code.");
}

/** A call, and before it the link of a chain that it ends with: `.use(…)`. */
function listRanges(node: Node): { start: number; end: number }[] {
  const { property } = (node["callee"] ?? {}) as { property?: Node };
  return property ? [{ start: property.start - 1, end: node.end }, node] : [node];
}

function readSpecifier(statement: Node): string {
  return (statement["source"] as { value: string } | null | undefined)?.value ?? "";
}
