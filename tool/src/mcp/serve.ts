import { Console } from "node:console";
import { McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { Fault } from "../fault.ts";
import { escapeControls, printError } from "../output.ts";
import { version } from "../version.ts";
import { createProgressLine, type RequestContext } from "./progress.ts";
import type { Session } from "./session.ts";
import type { Tool } from "./tool.ts";
import { changeTool } from "./tools/change.ts";
import { checkTool } from "./tools/check.ts";
import { createTool } from "./tools/create.ts";
import { optionsTool } from "./tools/options.ts";
import { planTool } from "./tools/plan.ts";
import { previewTool } from "./tools/preview.ts";
import { publishTool, rollbackTool } from "./tools/publish.ts";
import { statusTool } from "./tools/status.ts";

/** All tools, in the order in which they are listed. */
export const tools = [
  optionsTool,
  previewTool,
  createTool,
  changeTool,
  checkTool,
  planTool,
  publishTool,
  statusTool,
  rollbackTool,
] as unknown as Tool[];

const instructions = `Dory makes small JSON API backends in the web framework that the person chooses, proves and publishes them.
Order: dory_options, dory_preview, dory_create; then dory_change and dory_check; then dory_plan, show the plan to the person, and dory_publish or dory_rollback with its id.
Secrets are never arguments: declare their names in dory.json, and let the person put values into .env.`;

/** Serves tools over stdio until stdin ends, and what was begun is ended or reverted. */
export async function serveTools(session: Session, { isReadOnly }: { isReadOnly: boolean }): Promise<void> {
  // stdout is for the protocol alone.
  globalThis.console = new Console(process.stderr);
  const running = new Set<Promise<unknown>>();
  const ending = new AbortController();
  const offered = tools.filter((tool) => tool.isReadOnly || !isReadOnly);
  const served = serveStdio(
    () => {
      const server = new McpServer({ name: "dory", title: "Dory", version }, { instructions });
      for (const tool of offered) register(server, tool, session, { running, ending });
      return server;
    },
    { onerror: ({ message }) => printError(message) },
  );
  await untilEnd();
  ending.abort();
  await Promise.allSettled(running);
  await served.close();
}

/** Until the client closes stdin or goes away, or somebody ends this program. */
function untilEnd(): Promise<void> {
  return new Promise((resolve) => {
    const end = () => resolve();
    process.stdin.once("end", end).once("close", end).once("error", end);
    process.stdout.once("error", end);
    process.on("SIGINT", end).on("SIGTERM", end);
  });
}

interface Work {
  running: Set<Promise<unknown>>;
  ending: AbortController;
}

function register(server: McpServer, tool: Tool, session: Session, { running, ending }: Work): void {
  const { name, title, description, input, output } = tool;
  const annotations = {
    title,
    readOnlyHint: tool.isReadOnly,
    destructiveHint: tool.isDestructive ?? false,
    idempotentHint: tool.isIdempotent ?? false,
    openWorldHint: tool.isOpen ?? false,
  };
  const config = { title, description, inputSchema: input, outputSchema: output, annotations };
  server.registerTool(name, config, (asked, context) => {
    const result = call(tool, asked, session, context, ending.signal);
    running.add(result);
    return result.finally(() => running.delete(result));
  });
}

async function call(tool: Tool, asked: object, session: Session, context: RequestContext, ending: AbortSignal) {
  const line = createProgressLine(context);
  const signal = AbortSignal.any([context.mcpReq.signal, ending]);
  try {
    const result = await tool.run(asked as never, { session, report: line.report, signal });
    return { content: [toText(JSON.stringify(result))], structuredContent: result };
  } catch (error) {
    return { content: [toText(explain(error))], isError: true };
  } finally {
    await line.end();
  }
}

const toText = (text: string) => ({ type: "text" as const, text: escapeControls(text) });

/** What happened and what to do, in the words of the command line. */
function explain(error: unknown): string {
  if (error instanceof Fault) return `${toToolWords(error.message)} (${error.code})`;
  // It may contain anything, so only the person who started this program sees it.
  printError(String((error as Error)?.stack ?? error));
  return "Dory failed unexpectedly: its log on stderr says why. Try the same with the command line. (unexpected)";
}

/** Who calls a tool has no terminal: what messages say about commands, a tool does. */
const toToolWords = (message: string) =>
  message
    .replace(/ See dory (?!releases)[\w-]+ --help\./g, "")
    .replace("See dory releases.", "See dory_status.")
    .replace("Go to a project's folder first.", "Name the folder of a project.");
