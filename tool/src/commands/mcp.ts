import { readFlags } from "../flags.ts";
import { serveTools } from "../mcp/serve.ts";
import { createSession } from "../mcp/session.ts";
import { mcpUsage } from "../usage/mcp.ts";

/** Serves assistants in this folder. */
export async function mcpCommand(args: string[]): Promise<number> {
  const { values } = readFlags(mcpUsage, args);
  const allowed = (values.env ?? []).flatMap((names) => names.split(","));
  await serveTools(createSession(process.cwd(), allowed), { isReadOnly: values["read-only"] });
  // Connections that are kept alive must not keep this program alive.
  process.exit(0);
}
