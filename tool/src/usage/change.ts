import type { Usage } from "../flags.ts";
import { databases, frameworks, nodes, simpleFeatures, sources } from "../new/request.ts";

const shared = {
  plan: { type: "boolean", help: "show what would change and whether it merges, touch nothing" },
  diff: { type: "boolean", help: "with --plan: show every line" },
  install: { type: "boolean", default: true, help: "do not run npm install where packages changed" },
} as const;

const service = {
  service: {
    type: "string",
    value: "SERVICE",
    help: "of an application, the service that is changed; or run this in its folder",
  },
} as const;

const how = `  In a project's folder. It is made again as dory new would make it, and merged by git with what you changed: your
  lines stay, and what cannot be merged is an ordinary conflict. Everything must be committed first.`;

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
  dory add resource 'orders: note:string'   a further resource, written as for dory new
  dory add service web=koa              to an application: another service, on the database of the others`,
    how,
  ],
} as const satisfies Usage;

/** How `dory remove` is called. */
export const removeUsage = {
  command: "remove",
  summary: "remove something that was asked for",
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
      help: "a field that is there, with another type; may be repeated",
    },
    ...service,
    ...shared,
  },
  notes: ["  In an application, --node is for all services, and so is --database, unless --service names one.", how],
} as const satisfies Usage;

/** How `dory update` is called. */
export const updateUsage = {
  command: "update",
  summary: "bring a project to this version of Dory",
  call: "",
  atMost: 0,
  flags: {
    check: { type: "boolean", help: "ask npm's registry whether there is a newer Dory, do nothing else" },
    ...shared,
  },
  notes: ["  npx dory@latest update brings it to the newest version.", how],
} as const satisfies Usage;
