import { listImported, target } from "../new/slice/imports.ts";
import { listDeclared, type Node, readName, tryParse } from "../new/slice/syntax.ts";
import type { Repository } from "./git.ts";
import { listExports, listFiles } from "./moved.ts";

/** Imports of files that Dory made before and no longer makes, and of names that these files no longer have, as sentences. */
export async function findLostImports(
  repository: Repository,
  { before, pristine, merged, conflicts }: { before: string; pristine: string; merged: string; conflicts: string[] },
): Promise<string[]> {
  const [old, made, all] = await Promise.all([before, pristine, merged].map((tree) => listFiles(repository, tree)));
  const known = new Set([...(await listExports(repository, before)).values()].flatMap((names) => [...names]));
  const read = async (path: string) => repository.git(["cat-file", "blob", all?.get(path)?.id ?? ""]);
  const lost: string[] = [];
  for (const [path, { id }] of all ?? []) {
    if (!path.endsWith(".ts") || made?.get(path)?.id === id || conflicts.includes(path)) continue;
    const text = await read(path);
    const gone = listImported(path, text).filter((one) => old?.has(one) && !all?.has(one));
    lost.push(...gone.map((one) => `${path} imports ${one}, which is gone: Dory no longer makes it.`));
    for (const [file, names] of listNames(path, text)) {
      const wanted = names.filter((name) => known.has(name));
      if (wanted.length === 0 || !made?.has(file) || !all?.has(file) || conflicts.includes(file)) continue;
      const exported = listExported(await read(file));
      const missing = wanted.filter((name) => exported && !exported.includes(name));
      lost.push(...missing.map((name) => `${path} imports ${name} of ${file}, which no longer has it.`));
    }
  }
  return lost;
}

/** The files that code imports or exports from, each with the names there. */
function listNames(path: string, text: string): [file: string, names: string[]][] {
  return listStatements(text).flatMap(({ source, specifiers = [] }): [string, string[]][] => {
    const { value = "" } = (source ?? {}) as { value?: string };
    const names = (specifiers as Node[]).flatMap(({ type, imported, local }) => {
      const name = { ImportSpecifier: imported, ExportSpecifier: local }[type];
      return name ? [readName(name)] : [];
    });
    return value.startsWith(".") ? [[target(path, value), names]] : [];
  });
}

/** The names that code exports. Undefined if they are not known. */
function listExported(text: string): string[] | undefined {
  const statements = listStatements(text).filter(({ type }) => type.startsWith("Export"));
  if (statements.length === 0 || statements.some(({ type }) => type === "ExportAllDeclaration")) return undefined;
  return statements.flatMap((statement) => [
    ...listDeclared(statement),
    ...((statement["specifiers"] ?? []) as Node[]).map(({ exported }) => readName(exported)),
  ]);
}

const listStatements = (text: string) => (tryParse(text)?.["body"] ?? []) as Node[];
