import { applyEdits, type Edit, remove } from "./edit.ts";
import { listDeclared, type Node, parse, readName, readReferred, type Syntax, visit } from "./syntax.ts";

/**
 * Cuts what depends on removed modules out of a file: their imports, all code that uses these, and what is unused after
 * that. The rest keeps its bytes.
 */
export function cut(path: string, source: string, isGone: (specifier: string) => boolean): string {
  return cutStatements(path, source, (statement) => isGone(readSpecifier(statement)));
}

/** Cuts exports out of a file in which nothing else uses them, and what only they used. */
export function cutExports(path: string, source: string, isUnused: (name: string) => boolean): string {
  const { program } = parse(path, source);
  // A type and its schema may have the same name, and one needs the other.
  const findDeclarations = (name: string) =>
    (program["body"] as Node[]).filter((one) => listDeclared(one).includes(name));
  return cutStatements(path, source, (statement) => {
    const names = statement.type === "ExportNamedDeclaration" ? listDeclared(statement) : [];
    const isLeft = (name: string) => !isUnused(name) || isNeeded(program, name, findDeclarations(name));
    return names.length > 0 && !names.some(isLeft);
  });
}

/** Cuts imports without names: those of files that must be loaded before others. */
export function cutBareImports(path: string, source: string): string {
  return cutStatements(path, source, ({ type, specifiers }) => {
    return type === "ImportDeclaration" && (specifiers as Node[]).length === 0;
  });
}

function cutStatements(path: string, source: string, isGone: (statement: Node) => boolean): string {
  const { program, comments } = parse(path, source);
  const statements = program["body"] as Node[];
  const gone = statements.filter(isGone);
  if (gone.length === 0) return source;
  const removed = findDependents(program, gone);
  const edits = removed.map((node) => remove(source, node, comments));
  const unneeded = findUnneededImports(program, statements, removed);
  const imports = unneeded.flatMap((one) => removeImport(source, one, comments));
  return applyEdits(source, [...edits, ...imports, ...findUnneededParameters(program, removed)]);
}

/** The module that an import names, or an empty string. */
function readSpecifier(statement: Node): string {
  return (statement["source"] as { value: string } | null | undefined)?.value ?? "";
}

/** The given statements, and all nodes that depend on them. */
function findDependents(program: Node, first: Node[]): Node[] {
  const removed = [...first];
  for (let size = 0; size < removed.length; ) {
    size = removed.length;
    const names = new Set(removed.flatMap(listDeclared));
    const references = [...names].flatMap((name) => findReferences(program, name, removed));
    for (const [node, above] of references.sort(([a], [b]) => a.start - b.start))
      if (!removed.some((outer) => isWithin(node, outer))) removed.push(findUnit(node, above));
    removed.push(...findUnneededDeclarations(program, removed));
  }
  return removed.filter((node) => !removed.some((outer) => outer !== node && isWithin(node, outer)));
}

/**
 * The smallest node around a reference that can be removed: a statement, a member, an element, a decorator, or a link
 * of a chain. A node that would then be empty is removed too.
 */
function findUnit(node: Node, above: Node[]): Node {
  const path = [...above, node];
  for (let index = path.length - 1; index > 0; index--) {
    const [parent, child] = [path[index - 1] as Node, path[index] as Node];
    if (child.type === "Decorator") return child;
    const link = toLink(parent);
    if (link && child !== parent["callee"]) return link;
    const list = findList(parent, child);
    const isEmptied = list?.length === 1 && parent.type !== "Program";
    if (list && !isEmptied && !isPlugin(child)) return child;
  }
  throw new Error(`nothing around ${readName(node)} can be removed`);
}

/** `plugin: …`: what hapi registers is nothing without it. */
const isPlugin = ({ key }: Node) => key !== undefined && readName(key) === "plugin";

function findList(parent: Node, child: Node): Node[] | undefined {
  const lists = parent.type === "ObjectPattern" ? [] : ["body", "properties", "elements"];
  return lists.map((name) => parent[name]).find((list): list is Node[] => Array.isArray(list) && list.includes(child));
}

/** `.use(…)` or `.route(…)` in a chain. */
function toLink({ type, end, callee }: Node): Node | undefined {
  const { object, property } = (callee ?? {}) as { object?: Node; property?: unknown };
  const isChain = object?.type === "CallExpression" || object?.type === "NewExpression";
  const isLink = type === "CallExpression" && isChain && ["use", "route"].includes(readName(property));
  return isLink ? { type: "Link", start: object.end, end } : undefined;
}

/** Declarations that are not exported and were used only by removed code. */
function findUnneededDeclarations(program: Node, removed: Node[]): Node[] {
  const left = (program["body"] as Node[]).filter((statement) => !removed.includes(statement));
  return left.filter((statement) => {
    const names = /^(Import|Export)/.test(statement.type) ? [] : listDeclared(statement);
    return names.length > 0 && names.every((name) => wasNeeded(program, name, statement, removed));
  });
}

interface UnneededImport {
  statement: Node;
  specifiers: Node[];
}

function findUnneededImports(program: Node, statements: Node[], removed: Node[]): UnneededImport[] {
  const imports = statements.filter(
    (statement) => statement.type === "ImportDeclaration" && !removed.includes(statement),
  );
  return imports.flatMap((statement) => {
    const all = statement["specifiers"] as Node[];
    const specifiers = all.filter((one) => wasNeeded(program, readName(one["local"]), statement, removed));
    return specifiers.length > 0 ? [{ statement, specifiers }] : [];
  });
}

function removeImport(source: string, { statement, specifiers }: UnneededImport, comments: Syntax["comments"]): Edit[] {
  const all = statement["specifiers"] as Node[];
  return specifiers.length === all.length ? [remove(source, statement, comments)] : removeSome(all, specifiers);
}

/** Removes names of a list up to the next one that stays, or from the last one. */
function removeSome(all: Node[], gone: Node[]): Edit[] {
  const last = all.findLastIndex((one) => !gone.includes(one));
  const rest = last < all.length - 1 ? [{ start: all[last]?.end ?? 0, end: all.at(-1)?.end ?? 0 }] : [];
  const before = gone.filter((one) => all.indexOf(one) < last);
  return [...before.map((one) => ({ start: one.start, end: all[all.indexOf(one) + 1]?.start ?? one.end })), ...rest];
}

/** What functions take out of an object that they are given, and only removed code used. */
function findUnneededParameters(program: Node, removed: Node[]): Edit[] {
  const gone = new Map<Node, Node[]>();
  for (const [name, references] of readReferences(program)) {
    const left = findReferences(program, name, removed);
    const [taker, pattern, member] = left[0]?.[1].slice(-3) ?? [];
    const isOnly = left.length < references.length && left.every(([, above]) => above.at(-1) === member);
    if (isOnly && member && pattern?.type === "ObjectPattern" && (taker?.["params"] as Node[])?.includes(pattern))
      gone.set(pattern, [...(gone.get(pattern) ?? []), member]);
  }
  return [...gone].flatMap(([pattern, members]) => removeSome(pattern["properties"] as Node[], members));
}

/** Whether only removed code uses a name. */
function wasNeeded(program: Node, name: string, declaration: Node, removed: Node[]): boolean {
  return isNeeded(program, name, [declaration]) && !isNeeded(program, name, [declaration, ...removed]);
}

const isNeeded = (program: Node, name: string, outside: Node[]) => findReferences(program, name, outside).length > 0;

type Reference = [node: Node, above: Node[]];

/** The references to a name that are in none of these nodes. */
export function findReferences(program: Node, name: string, outside: Node[]): Reference[] {
  const all = readReferences(program).get(name) ?? [];
  return all.filter(([node]) => !outside.some((outer) => isWithin(node, outer)));
}

const found = new WeakMap<Node, Map<string, Reference[]>>();

/** By name. Cached: walking the tree takes most of the time of a cut. */
function readReferences(program: Node): Map<string, Reference[]> {
  const known = found.get(program);
  if (known) return known;
  const references = new Map<string, Reference[]>();
  visit(program, (node, above) => {
    const name = readReferred(node, above);
    if (name !== undefined) references.set(name, [...(references.get(name) ?? []), [node, [...above]]]);
  });
  found.set(program, references);
  return references;
}

function isWithin(inner: Node, outer: Node): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}
