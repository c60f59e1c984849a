import { join } from "node:path";
import { readBackend } from "../tool/src/backend.ts";
import { studioCommand } from "../tool/src/commands/studio.ts";
import { Fault } from "../tool/src/fault.ts";

/** Serves the studio from this repository. Backends that are only tried use the packages that are here. */
const root = join(import.meta.dirname, "..");
const setting = {
  loadBackend: () => readBackend(root),
  packages: join(root, "node_modules"),
  page: join(root, "tool/dist/studio"),
};

try {
  process.exitCode = await studioCommand(process.argv.slice(2), setting);
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
