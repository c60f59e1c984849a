import { createHash } from "node:crypto";
import { version } from "./version.ts";

/** The tools of a project, as this version has them. */
export const kitFile = `.dory/dory-${version}.js`;

/** Whether a path is that of a project's tools, of any version. */
export const isKit = (path: string) => /(^|\/)\.dory\/dory-[^/]+\.js$/.test(path);

/** Whether tools are as a release has made them: their last line has the hash of all before it. */
export function isUnchanged(text: string): boolean {
  const end = text.lastIndexOf("// sha256 ");
  const hash = createHash("sha256").update(text.slice(0, end)).digest("hex");
  return text.slice(end) === `// sha256 ${hash}\n`;
}
