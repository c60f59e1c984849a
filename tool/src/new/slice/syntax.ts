import { createRequire } from "node:module";
import { Fault } from "../../fault.ts";

// An import of this CommonJS module would first search it for exports, which takes a tenth of a command's time.
const babel: typeof import("@babel/parser") = createRequire(import.meta.url)("@babel/parser");

/** A node of the syntax tree, with the members that are used here. */
export interface Node {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
}

export interface Syntax {
  program: Node;
  comments: { start: number; end: number }[];
}

/** A cache: several steps parse the same text. */
const parsed = new Map<string, Syntax>();

export function parse(path: string, source: string): Syntax {
  const known = parsed.get(source);
  if (known) return known;
  try {
    const { program, comments } = babel.parse(source, {
      sourceType: "module",
      attachComment: false,
      plugins: ["typescript", "decorators-legacy", ...(path.endsWith(".tsx") ? (["jsx"] as const) : [])],
    });
    const syntax = { program: program as unknown as Node, comments: (comments ?? []) as Syntax["comments"] };
    parsed.set(source, syntax);
    return syntax;
  } catch (error) {
    throw new Fault("slice_parse", `${path} cannot be parsed: ${(error as Error).message}`);
  }
}

/** The program of an owner's code, if it can be parsed: it may be unfinished. */
export function tryParse(source: string): Node | undefined {
  try {
    return parse("code.ts", source).program;
  } catch {
    return undefined;
  }
}

/** Visits a node and all below it; `above` are its ancestors at that moment, the nearest last. */
export function visit(node: Node, onNode: (node: Node, above: readonly Node[]) => void, above: Node[] = []): void {
  onNode(node, above);
  above.push(node);
  for (const name in node) {
    const member = node[name];
    if (isNode(member)) visit(member, onNode, above);
    else if (Array.isArray(member)) for (const child of member) if (isNode(child)) visit(child, onNode, above);
  }
  above.pop();
}

function isNode(member: unknown): member is Node {
  return typeof member === "object" && member !== null && "type" in member;
}

/** The names that a statement declares. That of a class's property is `this.name`. */
export function listDeclared(statement: Node): string[] {
  const declaration = (statement["declaration"] as Node | null) ?? statement;
  if (declaration.type === "ImportDeclaration")
    return (declaration["specifiers"] as Node[]).map((specifier) => readName(specifier["local"]));
  if (declaration.type === "VariableDeclaration")
    return (declaration["declarations"] as Node[]).flatMap(({ id }) => listBound(id as Node));
  if (declaration.type === "ClassProperty") return [`this.${readName(declaration["key"])}`];
  return declaration["id"] ? [readName(declaration["id"])] : [];
}

function listBound(pattern: Node): string[] {
  const names: string[] = [];
  visit(pattern, (node, above) => {
    const isOfType = above.some(({ type }) => type === "TSTypeAnnotation");
    if (isReference(node, above) && !isOfType) names.push(readName(node));
  });
  return names;
}

/** Whether an identifier refers to a declaration, and is not the name of a member. */
export function isReference(node: Node, above: readonly Node[]): boolean {
  return node.type === "Identifier" && !isKey(node, above);
}

function isKey(node: Node, above: readonly Node[]): boolean {
  const parent = above.at(-1);
  if (!parent || parent["computed"] === true || parent["shorthand"] === true) return false;
  if (parent.type === "PrivateName") return true;
  return parent["key"] === node || (/MemberExpression$/.test(parent.type) && parent["property"] === node);
}

/** What a node refers to, in the names that `listDeclared` uses. */
export function readReferred(node: Node, above: readonly Node[]): string | undefined {
  if (isReference(node, above)) return readName(node);
  const isProperty = node.type === "MemberExpression" && (node["object"] as Node).type === "ThisExpression";
  return isProperty ? `this.${readName(node["property"])}` : undefined;
}

export function readName(node: unknown): string {
  return (node as { name: string }).name;
}
