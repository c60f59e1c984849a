import type { Usage } from "../flags.ts";
import { databases, frameworks, nodes, simpleFeatures, sources } from "../new/choices.ts";

const shared = {
  plan: { type: "boolean", help: "show what would change and whether it merges, change nothing" },
  diff: { type: "boolean", help: "with --plan: show every line" },
  install: {
    type: "boolean",
    default: true,
    help: "do not run npm: neither npm install where packages changed, nor npm run openapi",
  },
} as const;

const service = {
  service: {
    type: "string",
    value: "SERVICE",
    help: "in an application, the service to change; or run this in its folder",
  },
} as const;

const how = `  Run it in a project's folder. Dory makes the project again as dory new would, and git merges it with your changes:
  your lines stay, and what cannot be merged is an ordinary conflict. Commit everything first. If a table that is in use must change, the SQL for
  that is a new file in migrations/.`;

/** How `dory add` is called. */
export const addUsage = {
  command: "add",
  summary: "add a feature, field, resource, webhook or service",
  call: "WHAT …",
  atMost: 100,
  flags: { ...service, ...shared },
  notes: [
    `  dory add ${simpleFeatures.join(",")}        features: ${simpleFeatures.join(", ")}
  dory add webhooks github,stripe       webhooks from ${sources.join(", ")}
  dory add field 'price:number?'        fields, written as for dory new
  dory add resource 'orders: note:string'   another resource, written as for dory new
  dory add service web=koa              in an application: another service, on the same database`,
    how,
  ],
} as const satisfies Usage;

/** How `dory remove` is called. */
export const removeUsage = {
  command: "remove",
  summary: "remove a feature, field, resource, webhook or service",
  call: "WHAT …",
  atMost: 100,
  flags: { ...service, ...shared },
  notes: [
    `  dory remove auth
  dory remove webhooks github           or all of them: dory remove webhooks
  dory remove field price
  dory remove resource orders
  dory remove service jobs`,
    how,
  ],
} as const satisfies Usage;

/** How `dory change` is called. */
export const changeUsage = {
  command: "change",
  summary: "change a project's framework, database or fields",
  call: "",
  atMost: 0,
  flags: {
    framework: { type: "string", value: "F", help: frameworks.join(", ") },
    database: { type: "string", value: "D", help: databases.join(", ") },
    node: { type: "string", value: "N", help: nodes.join(", ") },
    field: {
      type: "string",
      value: "FIELD",
      multiple: true,
      help: "an existing field, with another type; may be repeated",
    },
    ...service,
    ...shared,
  },
  notes: [
    "  In an application, --node and --database change all services; with --service, --database changes one.",
    how,
  ],
} as const satisfies Usage;

/** How `dory update` is called. */
export const updateUsage = {
  command: "update",
  summary: "update a project to this version of Dory",
  call: "",
  atMost: 0,
  flags: {
    check: { type: "boolean", help: "ask npm's registry whether there is a newer Dory, do nothing else" },
    ...shared,
  },
  notes: [
    "  npx dory@latest update updates it to the newest version. The tools in .dory are restored, if they were changed or deleted.",
    how,
  ],
} as const satisfies Usage;
