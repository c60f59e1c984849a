import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Fault } from "../fault.ts";
import { readFlags } from "../flags.ts";
import { type Application, readApplication } from "../publish/application.ts";
import { mark, printCompose } from "../publish/compose.ts";
import { composeUsage } from "../usage/compose.ts";

/** Writes `compose.yaml`, to run an application's services together on this machine. */
export async function composeCommand(args: string[]): Promise<number> {
  readFlags(composeUsage, args);
  const application: Application = readApplication(".");
  const path = "compose.yaml";
  if (existsSync(path) && !readFileSync(path, "utf8").startsWith(mark))
    throw new Fault("compose_exists", "There is a compose.yaml that was not made by this command. Move it away first.");
  writeFileSync(path, printCompose(application));
  console.log("Made compose.yaml. Run it with: docker compose up --build");
  return 0;
}
