import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { checkIsolated } from "../../isolated-check.ts";
import { sources } from "../../new/choices.ts";
import { secretsVariable } from "../../new/webhooks.ts";
import { defineTool } from "../tool.ts";

const most = 20;

export const checkTool = defineTool({
  name: "dory_check",
  title: "Prove a running backend",
  description:
    "Checks a backend that runs against the contract: its routes, errors, limits, and whatever its openapi.json promises. It creates items in the backend. Start the backend first. Tokens and secrets are read from the project's .env, or named by --env, and are sent to this machine only.",
  input: z.strictObject({
    url: z.string().describe("Where the backend runs, like http://localhost:3000"),
    folder: z
      .string()
      .describe("The folder of the backend's project, with its openapi.json. Default: a backend of items with a name")
      .optional(),
  }),
  output: z.object({
    isOk: z.boolean(),
    checks: z.int(),
    passed: z.int(),
    failed: z.int(),
    skipped: z.int(),
    faults: z.array(z.object({ check: z.string(), fault: z.string() })).describe(`What failed; the first ${most}`),
    reasons: z.array(z.string()).describe("Why checks were skipped"),
  }),
  isReadOnly: false,
  isOpen: true,
  async run({ url, folder: asked }, { session, report, signal }) {
    const folder = asked === undefined ? undefined : session.resolveFolder(asked);
    const document = folder === undefined ? undefined : session.resolveFile(join(folder, "openapi.json"));
    const known = folder === undefined ? {} : session.readEnv(folder);
    const isNear = isThisMachine(url);
    const { isOk, passed, findings } = await checkIsolated(
      {
        url,
        ...(document === undefined || folder === undefined
          ? {}
          : { openapi: existsSync(document) ? document : join(folder, "dory.json") }),
      },
      {
        env: Object.fromEntries(
          variables.map((name) => [name, isNear ? (known[name] ?? session.readAllowed(name)) : undefined]),
        ),
        onFinding: (_, done, all) => report(`${done} of ${all} checks`),
        signal,
      },
    );
    const faults = findings.flatMap(({ check, fault }) =>
      fault === undefined ? [] : [{ check, fault: fault.slice(0, 600) }],
    );
    const reasons = findings.flatMap(({ skipped }) => skipped ?? []);
    return {
      isOk,
      checks: findings.length,
      passed,
      failed: faults.length,
      skipped: reasons.length,
      faults: faults.slice(0, most),
      reasons: [...new Set(reasons)],
    };
  },
});

/** What the suite reads. */
const variables = ["API_TOKENS", "CORS_ORIGINS", ...sources.map(secretsVariable)];

/** Whether the URL leads to this machine: an assistant must not choose who gets tokens. */
function isThisMachine(url: string): boolean {
  const host = URL.canParse(url) ? new URL(url).hostname : "";
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(host);
}
