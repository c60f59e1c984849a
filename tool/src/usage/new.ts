import type { Usage } from "../flags.ts";
import {
  databases,
  fieldExamples,
  frameworks,
  nodes,
  resourceExample,
  simpleFeatures,
  sources,
} from "../new/choices.ts";

import {
  type Description,
  databaseDescriptions,
  featureDescriptions,
  frameworkDescriptions,
} from "../new/descriptions.ts";

export const npxNote =
  "npx dory runs it without installing anything; npm create dory NAME -- [options] is npx dory new.";

/** A line for each choice. */
function describe<N extends string>(names: readonly N[], descriptions: Record<N, Description>): string {
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${name.padEnd(width)}  ${descriptions[name].sentence}`).join("\n");
}

/** How `dory new` is called. */
export const newUsage = {
  command: "new",
  summary: "make a backend, or an application of several",
  call: "NAME --framework F",
  atMost: 1,
  flags: {
    framework: { type: "string", value: "F", help: describe(frameworks, frameworkDescriptions) },
    service: {
      type: "string",
      value: "SERVICE=F",
      multiple: true,
      help: `instead of --framework, for an application: a service and its framework, like api=hono; may be repeated
the other flags apply to every service; on postgres the services share a database service`,
    },
    field: {
      type: "string",
      value: "FIELD",
      multiple: true,
      help: `a field of an item; may be repeated (default: name:string(1..200)):
  ${fieldExamples.slice(0, 4).join("  ")}
  ${fieldExamples.slice(4, 9).join("  ")}
  ${fieldExamples.slice(9).join("  ")}
a question mark at the end makes it optional, =VALUE sets a default,
unique means that no two items have the same value, ref(orders) is the id of an order`,
    },
    resource: {
      type: "string",
      value: "RESOURCE",
      multiple: true,
      help: `another resource next to /items, with its fields; may be repeated:
  '${resourceExample}'
its name is plural and in lower case, like orders, categories or boxes (one order, category or box)`,
    },
    database: {
      type: "string",
      value: "D",
      help: `${describe(databases, databaseDescriptions)}\n(default: both)`,
    },
    with: {
      type: "string",
      value: "FEATURE",
      multiple: true,
      help: `may be repeated, or separated by commas (default: none):
${describe(simpleFeatures, featureDescriptions)}`,
    },
    webhook: {
      type: "string",
      value: "SOURCE",
      multiple: true,
      help: `${sources.join(", ")}; may be repeated, or separated by commas (default: none):
receives signed events at /webhooks/SOURCE, stores them, and passes them to src/webhooks/handlers.ts`,
    },
    node: {
      type: "string",
      value: "N",
      help: `${nodes.join(", ")}: the machine's own Node, or one from npm (default: system if it is 26 or later)`,
    },
    yes: { type: "boolean", help: "use the defaults, ask nothing" },
    install: { type: "boolean", default: true, help: "do not run npm install" },
    git: { type: "boolean", default: true, help: "do not make a git repository" },
    "dry-run": { type: "boolean", help: "list the files, write nothing" },
    start: { type: "boolean", help: "run the backend after it is made" },
    json: { type: "boolean", help: "print one JSON result; without NAME, read the request as JSON from stdin" },
  },
  notes: [
    `  NAME may be a path, and its last part is the name: ../my-api, /srv/my-api, or . in an empty folder.
  In JSON: {"name":"my-api","framework":"hono"}; "folder" is optional: the path to make it at.
  Services are a list: {"name":"shop","database":"postgres","services":[{"name":"api","framework":"hono"}]}. Next to
  the list are the defaults for each service: framework, fields, resources, database, features, webhooks.`,
    npxNote,
  ],
  // `npm create` reads flags as its own and passes on only "hono" of `--framework hono`.
  ...(process.env["npm_command"] === "init" && {
    hint: "npm passes on only what comes after --: npm create dory NAME -- --framework F.",
  }),
} as const satisfies Usage;
