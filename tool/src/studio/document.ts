import { readFileSync } from "node:fs";
import { join } from "node:path";
import { HttpFault } from "./http.ts";

/** The `openapi.json` of a project. */
export function readDocument(folder: string): { paths: Record<string, object> } {
  try {
    return JSON.parse(readFileSync(join(folder, "openapi.json"), "utf8"));
  } catch {
    throw new HttpFault({
      status: 404,
      code: "openapi",
      detail: "The project has no openapi.json that can be read: npm run openapi makes it.",
    });
  }
}
