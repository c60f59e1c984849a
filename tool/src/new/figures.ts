import { createHash } from "node:crypto";
import { isKit } from "../kit.ts";
import { remember } from "./slice/remember.ts";
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

export function measure(files: Files, entries = listEntries(files)): Figures {
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
  return sortFiles(files).map(([path, text]) => {
    const { lines, size } = measureText(text);
    return { path, lines, size };
  });
}

/** The SHA-256 of what `sha256sum` prints for all files, in the order of their paths. */
export function digestFiles(files: Files): string {
  const list = sortFiles(files).map(([path, text]) => `${measureText(text).hash}  ${path}\n`);
  return hash(list.join(""));
}

const sortFiles = (files: Files) => [...files].sort(([a], [b]) => (a < b ? -1 : 1));

/** Most files of two projects are the same. */
const measureText = remember((text) => ({
  lines: countLines(text),
  size: Buffer.byteLength(text),
  hash: hash(text),
}));

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

function countLines(text: string): number {
  let lines = text === "" || text.endsWith("\n") ? 0 : 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}

const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
