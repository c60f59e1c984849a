import { homedir } from "node:os";
import gt from "semver/functions/gt.js";
import { execute } from "../execute.ts";
import { Fault } from "../fault.ts";
import { version } from "../version.ts";

/** The newest version on npm's registry, if it is newer than this one. */
export async function findNewerVersion(): Promise<string | undefined> {
  // Not in the project's folder: its .npmrc would name the registry.
  const { code, stdout, stderr } = await execute("npm", ["view", "dory", "version"], {
    cwd: homedir(),
    timeoutMs: 60_000,
  });
  if (/E404/.test(stderr)) throw new Fault("no_release", "npm's registry has no release of Dory.");
  const newest = stdout.trim();
  if (code === 0 && /^\d+\.\d+\.\d+(-[\w.-]+)?$/.test(newest)) return gt(newest, version) ? newest : undefined;
  const reason = stderr.trim().split("\n").slice(0, 3).join("\n");
  throw new Fault("registry", `npm's registry did not return the newest version: ${reason || "no answer"}`);
}
