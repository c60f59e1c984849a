import { existsSync } from "node:fs";
import { join } from "node:path";

/** The arguments for Node to run this program again. */
export function findProgram(): string[] {
  // In the package it is beside the folder of the bundle; in this repository the sources are one folder deeper.
  const places = ["../bin/dory.js", "../../bin/dory.js"].map((path) => join(import.meta.dirname, path));
  return [places.find(existsSync) ?? process.argv[1] ?? ""];
}
