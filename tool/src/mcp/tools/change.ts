import { existsSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { createChange, createUpdate, type Edit, readAddition, readRemoval } from "../../change/edit.ts";
import { makeChange, previewChange } from "../../change/make.ts";
import { limitToService, readServiceAddition, readServiceRemoval } from "../../change/services.ts";
import { Fault } from "../../fault.ts";
import { findLocation } from "../../location.ts";
import { databases, frameworks, nodes } from "../../new/choices.ts";
import { version } from "../../version.ts";
import { folderSchema, oneFrom, readInput } from "../schemas.ts";
import { createReporter, defineTool } from "../tool.ts";

const parts = ["feature", "field", "resource", "webhooks", "service"];

const input = z.strictObject({
  folder: folderSchema,
  action: z
    .enum(["add", "remove", "change", "update"])
    .describe(
      "add or remove values of a part; change a single choice or existing fields; update to this version of Dory",
    ),
  part: oneFrom(parts, "With add and remove").optional(),
  values: z
    .array(z.string())
    .describe(
      'With add and remove: features, fields like "price:number?", resources, sources, or services like "web=koa"; to remove, names are enough',
    )
    .optional(),
  framework: oneFrom(frameworks, "With change").optional(),
  database: oneFrom(databases, "With change").optional(),
  node: oneFrom(nodes, "With change").optional(),
  fields: z.array(z.string()).describe("With change: existing fields with another type").optional(),
  service: z.string().describe("In an application, the service to change").optional(),
  preview: z.boolean().default(false).describe("Only show what would change and whether it merges"),
  diff: z.boolean().default(false).describe("With preview: every line"),
  install: z.boolean().default(false).describe("Run npm install where packages changed, which may take a minute"),
});

export const changeTool = defineTool({
  name: "dory_change",
  title: "Change a project",
  description:
    "Adds, removes or changes a feature, field, resource, webhook, service, framework or database of a project, or updates it. Dory makes the project again and git merges it into the current branch: lines of the owner stay, and what cannot be merged is an ordinary conflict. Commit everything first; use preview to see it before.",
  input,
  output: z.object({
    title: z.string(),
    isChanged: z.boolean().describe("Whether files or the history changed; always false with preview"),
    hasConflict: z.boolean().describe("With preview: whether it would conflict with changes of the owner"),
    text: z.string().describe("What was done, or would be, and what to do next"),
  }),
  isReadOnly: false,
  isDestructive: true,
  async run(asked, call) {
    const { preview, diff, install } = asked;
    const here = call.session.resolveFolder(asked.folder);
    const location = findLocation(here);
    const folder = call.session.resolveFolder(location.folder);
    const edit = readEdit(asked, asked.service ?? location.service);
    if (!existsSync(join(folder, "dory.json")))
      throw new Fault("no_project", `There is no dory.json in ${folder}. Name the folder of a project.`);
    const { title } = edit;
    return call.session.inTurn(folder, async () => {
      if (preview) return { title, isChanged: false, ...(await previewChange(folder, edit, diff)) };
      const { lines, ...reporter } = createReporter(call);
      const isChanged = await makeChange(folder, edit, { install, ...reporter });
      return { title, isChanged, hasConflict: false, text: lines.join("\n") };
    });
  },
});

function readEdit(asked: z.output<typeof input>, service: string | undefined): Edit {
  const { action, part, values = [], framework, database, node, fields } = asked;
  refuseOthers(asked);
  if (action === "update") return createUpdate(version);
  if (action === "change") {
    const single = readInput({ framework, database, node });
    if (Object.keys(single).length === 0 && fields === undefined)
      throw new Fault("usage", "With change, give framework, database, node or fields.");
    return limitToService(createChange(single, fields === undefined ? {} : { fields }), service);
  }
  if (part === undefined || !parts.includes(part))
    throw new Fault("usage", `With ${action}, name the part: ${parts.join(", ")}; and what in values.`);
  if (part === "service") return action === "add" ? readServiceAddition(values) : readServiceRemoval(values);
  const words = [part, ...values];
  return limitToService(action === "add" ? readAddition(words) : readRemoval(words), service);
}

/** What an action does not use would be ignored silently. */
function refuseOthers(asked: z.output<typeof input>): void {
  const { action } = asked;
  const members = {
    part: ["add", "remove"],
    values: ["add", "remove"],
    framework: ["change"],
    database: ["change"],
    node: ["change"],
    fields: ["change"],
    service: ["add", "remove", "change"],
  } as const satisfies Partial<Record<keyof typeof asked, (typeof action)[]>>;
  for (const [name, actions] of Object.entries<readonly string[]>(members))
    if (asked[name as keyof typeof members] !== undefined && !actions.includes(action))
      throw new Fault("usage", `${name} is for ${actions.join(" and ")}. Leave it out to ${action}.`);
}
