import * as z from "zod";
import {
  databases,
  fieldExamples,
  frameworks,
  nodes,
  resourceExample,
  simpleFeatures,
  sources,
} from "../new/choices.ts";
import { texts } from "../new/descriptions.ts";
import type { AnyInput } from "../new/services.ts";
import { targetNames } from "../publish/targets.ts";

/** A word from a list. The request itself checks it: it knows other spellings, and guesses what was meant. */
export const oneFrom = (names: readonly string[], description?: string) =>
  z.string().meta({ enum: [...names], ...(description && { description }) });

/** What one backend is asked for. */
const backend = z
  .object({
    fields: z
      .array(z.string())
      .describe(`Fields of an item, like ${fieldExamples.join(", ")}. ${texts.field} Default: name:string(1..200)`),
    resources: z.array(z.string()).describe(`More resources, like "${resourceExample}". ${texts.resource}`),
    database: oneFrom(databases, "Default: both, chosen at run time by DATABASE_URL"),
    features: z.array(oneFrom(simpleFeatures)).describe("Optional features. Default: none"),
    webhooks: z.array(oneFrom(sources)).describe("Sources of signed events. Default: none"),
  })
  .partial();

/** The same, without repeating what it means. */
const service = z.strictObject({
  name: z.string(),
  framework: z.string().optional(),
  fields: z.array(z.string()).optional(),
  resources: z.array(z.string()).optional(),
  database: z.string().optional(),
  features: z.array(z.string()).optional(),
  webhooks: z.array(z.string()).optional(),
});

/** What a project is asked for, in the form of dory.json. */
export const requestSchema = z.strictObject({
  name: z.string().describe(`The name of the project. ${texts.name}`),
  framework: oneFrom(frameworks, "The web framework. Required, except with services").optional(),
  ...backend.shape,
  node: oneFrom(nodes, "Where Node comes from; dory_options has the default").optional(),
  services: z
    .array(service)
    .describe("Instead of a framework: several backends in one application. Members next to it are their defaults")
    .optional(),
});

/** Members that were left out are not there at all. */
export const readInput = (input: object): AnyInput =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

export const folderSchema = z
  .string()
  .default(".")
  .describe("The project's folder, below the one that the server was started in");

export const targetSchema = oneFrom(targetNames, "Where to").default("docker");
