import { isKit } from "../kit.ts";
import type { Files } from "./slice/slice.ts";

/** How large a project is. */
export interface Figures {
  files: number;
  /** Of what people read: neither the tools in `.dory` nor `openapi.json`. */
  lines: number;
  /** In bytes. */
  size: number;
  dependencies: number;
  devDependencies: number;
}

export function measure(files: Files): Figures {
  const entries = listEntries(files);
  const read = entries.filter(({ path }) => !isKit(path) && !/(^|\/)openapi\.json$/.test(path));
  const manifests = [...files].filter(([path]) => /(^|\/)package\.json$/.test(path));
  const countIn = (kind: string) =>
    new Set(manifests.flatMap(([, text]) => Object.keys(JSON.parse(text)[kind] ?? {}))).size;
  return {
    files: files.size,
    lines: sum(read.map(({ lines }) => lines)),
    size: sum(entries.map(({ size }) => size)),
    dependencies: countIn("dependencies"),
    devDependencies: countIn("devDependencies"),
  };
}

/** The names of files with their sizes. */
export function listEntries(files: Files): { path: string; lines: number; size: number }[] {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, text]) => ({ path, lines: countLines(text), size: Buffer.byteLength(text) }));
}

export function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
