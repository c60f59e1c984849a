import type { Usage } from "../flags.ts";

/** How `dory mcp` is called. */
export const mcpUsage = {
  command: "mcp",
  summary: "serve assistants: tools over the Model Context Protocol",
  call: "",
  atMost: 0,
  flags: {
    "read-only": { type: "boolean", default: false, help: "leave out what writes, publishes or sends" },
    env: {
      type: "string",
      value: "NAME",
      multiple: true,
      help: "let projects have this variable of the environment as a secret; may be repeated",
    },
  },
  notes: [
    `  It speaks the protocol on stdin and stdout, and ends when stdin ends. Only folders below the one that it is started in are
  read and written. dory_publish and dory_rollback need the id of a plan, which is void once anything changes. Values
  of secrets come from the .env of a project, and from variables named by --env; they are never arguments or results.`,
  ],
} as const satisfies Usage;
