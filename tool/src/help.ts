import { printUsage, type Usage } from "./flags.ts";
import { addUsage, changeUsage, removeUsage, updateUsage } from "./usage/change.ts";
import { checkUsage } from "./usage/check.ts";
import { composeUsage } from "./usage/compose.ts";
import { anywhere, newUsage } from "./usage/new.ts";
import { publishing } from "./usage/publish.ts";
import { webhookUsage } from "./usage/webhook.ts";

const changing: Usage[] = [addUsage, removeUsage, changeUsage, updateUsage];

/** What can be done; each command has a page of its own. */
const overview = `dory: a small JSON API backend in the web framework you choose

${lineOf(newUsage)}
${changing.map(lineOf).join("\n")}
${lineOf(checkUsage)}
${publishing.map(lineOf).join("\n")}
${lineOf(composeUsage)}
${lineOf(webhookUsage)}

dory COMMAND --help explains a command; dory --version prints the version.
${anywhere}
`;

function lineOf({ command, call, summary }: Usage): string {
  return `  ${`dory ${command} ${call}`.padEnd(38)}${summary}`;
}

const pages: Record<string, string> = {
  new: printUsage(newUsage),
  check: printUsage(checkUsage),
  ...Object.fromEntries([...changing, ...publishing].map((usage) => [usage.command, printUsage(usage)])),
  compose: printUsage(composeUsage),
  webhook: printUsage(webhookUsage),
};

/** The page of a command, or the overview. */
export function helpFor(command: string | undefined): string {
  return (command !== undefined && Object.hasOwn(pages, command) && pages[command]) || overview;
}
