import { Fault, listChoices } from "./fault.ts";
import { findHelp } from "./help.ts";
import { print, printError, printJson } from "./output.ts";
import { version } from "./version.ts";

const commands: Record<string, (args: string[]) => Promise<number>> = {
  new: async (args) => (await import("./commands/new.ts")).newCommand(args),
  add: async (args) => (await import("./commands/change.ts")).addCommand(args),
  remove: async (args) => (await import("./commands/change.ts")).removeCommand(args),
  change: async (args) => (await import("./commands/change.ts")).changeCommand(args),
  update: async (args) => (await import("./commands/change.ts")).updateCommand(args),
  check: async (args) => (await import("./commands/check.ts")).checkCommand(args),
  publish: async (args) => (await import("./commands/publish.ts")).publishCommand(args),
  rollback: async (args) => (await import("./commands/publish.ts")).rollbackCommand(args),
  releases: async (args) => (await import("./commands/publish.ts")).releasesCommand(args),
  status: async (args) => (await import("./commands/publish.ts")).statusCommand(args),
  studio: async (args) => (await import("./commands/studio.ts")).studioCommand(args),
  compose: async (args) => (await import("./commands/compose.ts")).composeCommand(args),
  webhook: async (args) => (await import("./commands/webhook.ts")).webhookCommand(args),
  mcp: async (args) => (await import("./commands/mcp.ts")).mcpCommand(args),
  unpublish: async (args) => (await import("./commands/publish.ts")).unpublishCommand(args),
  secrets: async (args) => (await import("./commands/publish.ts")).secretsCommand(args),
  logs: async (args) => (await import("./commands/publish.ts")).logsCommand(args),
};

const isHelp = (arg: string) => arg === "--help" || arg === "-h";

/** Runs what the command line asks for; returns the exit code. */
export async function run([command = "--help", ...args]: string[]): Promise<number> {
  if (command === "help" || [command, ...args].some(isHelp)) {
    print(findHelp(command === "help" ? args[0] : command));
    return 0;
  }
  if (command === "--version" || command === "-v") {
    print(version);
    return 0;
  }
  const found = Object.hasOwn(commands, command) ? commands[command] : undefined;
  try {
    if (!found) throw new Fault("unknown_command", listChoices("command", command, Object.keys(commands)));
    return await found(args);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (args.includes("--json")) printJson({ ok: false, code: error.code, message: error.message });
    else printError(`${error.message} (${error.code})`);
    return 1;
  }
}
