import { endCode, isWindows, launch } from "./processes.js";
import { environmentOf } from "./services.js";

/** Runs a script in one service after the other, and reports where it failed. */
export async function inTurn(names, script, rest, secrets) {
  const args = ["run", script, ...(rest.length > 0 ? ["--", ...rest] : [])];
  const failed = [];
  for (const name of names) {
    console.log(`\n${name}: npm ${args.join(" ")}`);
    const env = secrets === undefined ? process.env : environmentOf(name, names, secrets);
    const code = await launch(name, "npm", args, { env, stdio: ["ignore", "inherit", "inherit"], shell: isWindows });
    if (endCode() !== undefined) return 130;
    if (code !== 0) failed.push({ name, code });
  }
  if (failed.length > 0) console.error(`\nFailed in ${failed.map(({ name }) => name).join(", ")}.`);
  return failed[0]?.code ?? 0;
}
