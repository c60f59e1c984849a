import { lstatSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { Fault } from "../fault.ts";
import { readFlags } from "../flags.ts";
import { print } from "../output.ts";
import { readApplication } from "../publish/application.ts";
import { mark, printCompose } from "../publish/compose.ts";
import { composeUsage } from "../usage/compose.ts";

/** Writes `compose.yaml`, to run an application's services together on this machine. */
export async function composeCommand(args: string[]): Promise<number> {
  readFlags(composeUsage, args);
  const path = "compose.yaml";
  const text = await printCompose(readApplication("."));
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found && !(found.isFile() && readFileSync(path, "utf8").startsWith(mark)))
    throw new Fault("compose_exists", "compose.yaml exists and was not made by this command. Move it away first.");
  // A rename replaces a link that is created in between; a write would follow it.
  const temporary = `.compose.yaml.${process.pid}`;
  writeFileSync(temporary, text, { flag: "wx" });
  renameSync(temporary, path);
  print("Made compose.yaml. Run it with: docker compose up --build");
  return 0;
}
