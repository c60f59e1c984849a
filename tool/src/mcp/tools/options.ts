import * as z from "zod";
import { listOptions } from "../../new/options.ts";
import { defineTool } from "../tool.ts";

const choice = z.object({ name: z.string(), title: z.string(), sentence: z.string() });
const type = choice.extend({
  example: z.string(),
  bounds: z.enum(["range", "values", "resource", "none"]),
  canBeUnique: z.boolean(),
  canHaveDefault: z.boolean(),
});
const target = choice.extend({
  isPreview: z.boolean(),
  options: z.array(z.string()),
  required: z.array(z.string()),
});
const parts = {
  frameworks: z.array(choice),
  databases: z.array(choice),
  features: z.array(choice),
  sources: z.array(choice),
  nodes: z.array(choice),
  types: z.array(type),
  targets: z.array(target),
};
const names = Object.keys(parts) as (keyof typeof parts)[];

export const optionsTool = defineTool({
  name: "dory_options",
  title: "What can be asked for",
  description:
    "Lists what a project can have: web frameworks, databases, features, sources of webhooks, types of fields, and targets to publish to, with one sentence each. Call it before dory_preview and dory_create.",
  input: z.strictObject({
    parts: z.array(z.enum(names)).default(names).describe("Only these lists. Default: all"),
  }),
  output: z.object({
    version: z.string(),
    ...z.object(parts).partial().shape,
    defaults: z.object({
      name: z.string(),
      framework: z.string(),
      database: z.string(),
      node: z.string(),
      fields: z.array(z.string()),
    }),
    texts: z.object({
      name: z.string(),
      field: z.string(),
      resource: z.string(),
      fieldExamples: z.array(z.string()),
      resourceExample: z.string(),
    }),
  }),
  isReadOnly: true,
  isIdempotent: true,
  async run(input) {
    const { version, defaults, texts, ...all } = await listOptions();
    const asked = names.filter((name) => input.parts.includes(name)).map((name) => [name, all[name]]);
    return { version, ...Object.fromEntries(asked), defaults, texts };
  },
});
