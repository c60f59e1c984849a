import { printUsage, type Usage } from "./flags.ts";
import { addUsage, changeUsage, removeUsage, updateUsage } from "./usage/change.ts";
import { checkUsage } from "./usage/check.ts";
import { composeUsage } from "./usage/compose.ts";
import { mcpUsage } from "./usage/mcp.ts";
import { newUsage, npxNote } from "./usage/new.ts";
import { publishing } from "./usage/publish.ts";
import { studioUsage } from "./usage/studio.ts";
import { webhookUsage } from "./usage/webhook.ts";

const changing: Usage[] = [addUsage, removeUsage, changeUsage, updateUsage];

/** All commands; each has its own page. */
const overview = `dory: a small JSON API backend in the web framework you choose

${printLine(newUsage)}
${printLine(studioUsage)}
${changing.map(printLine).join("\n")}
${printLine(checkUsage)}
${publishing.map(printLine).join("\n")}
${printLine(composeUsage)}
${printLine(webhookUsage)}
${printLine(mcpUsage)}

dory COMMAND --help explains a command; dory --version prints the version.
${npxNote}
`;

function printLine({ command, call, summary }: Usage): string {
  return `  ${`dory ${command} ${call}`.padEnd(38)}${summary}`;
}

const pages: Record<string, string> = {
  new: printUsage(newUsage),
  studio: printUsage(studioUsage),
  check: printUsage(checkUsage),
  ...Object.fromEntries([...changing, ...publishing].map((usage) => [usage.command, printUsage(usage)])),
  compose: printUsage(composeUsage),
  webhook: printUsage(webhookUsage),
  mcp: printUsage(mcpUsage),
};

/** The page of a command, or the overview. */
export function findHelp(command: string | undefined): string {
  return (command !== undefined && Object.hasOwn(pages, command) && pages[command]) || overview;
}
