import { loadTarget, previews, targetDescriptions, targetNames } from "../publish/targets.ts";
import { version } from "../version.ts";
import { databases, fieldExamples, frameworks, nodes, resourceExample, simpleFeatures, sources } from "./choices.ts";
import {
  type Description,
  databaseDescriptions,
  featureDescriptions,
  frameworkDescriptions,
  nodeDescriptions,
  sourceDescriptions,
  texts,
  typeSentences,
} from "./descriptions.ts";
import { defaultFields, uniqueTypes, writeField } from "./field.ts";
import { fieldTypes, type Type } from "./field-types.ts";
import { ownNode } from "./own-node.ts";

export interface Choice extends Description {
  /** As in a request: `nest`. */
  name: string;
}

/** A type of field. */
export interface TypeChoice extends Choice {
  /** A field of this type, as it is written. */
  example: string;
  /** What stands in its parentheses: `1..200`, `a|b|c`, the name of a resource, or nothing. */
  bounds: "range" | "values" | "resource" | "none";
  canBeUnique: boolean;
  canHaveDefault: boolean;
}

/** A place to publish to. */
export interface TargetChoice extends Choice {
  /** It has not been run on the real platform yet. */
  isPreview: boolean;
  /** The options of `dory publish` that it takes. */
  options: PublishOption[];
  /** Those that it needs. */
  required: PublishOption[];
}

export type PublishOption = "port" | "domain" | "replicas" | "autoscale" | "registry";

/** Everything that can be asked for, in every front end. */
export interface AllOptions {
  version: string;
  frameworks: Choice[];
  databases: Choice[];
  features: Choice[];
  sources: Choice[];
  nodes: Choice[];
  types: TypeChoice[];
  targets: TargetChoice[];
  /** What is asked for if it is left out; a name is only suggested. */
  defaults: { name: string; framework: string; database: string; node: string; fields: string[] };
  texts: typeof texts & { fieldExamples: string[]; resourceExample: string };
}

export async function listOptions(): Promise<AllOptions> {
  return {
    version,
    frameworks: describe(frameworks, frameworkDescriptions),
    databases: describe(databases, databaseDescriptions),
    features: describe(simpleFeatures, featureDescriptions),
    sources: describe(sources, sourceDescriptions),
    nodes: describe(nodes, nodeDescriptions),
    types: fieldTypes.map(describeType),
    targets: await Promise.all(targetNames.map(describeTarget)),
    defaults: {
      name: "my-api",
      framework: "hono",
      database: "both",
      node: ownNode,
      fields: defaultFields.map(writeField),
    },
    texts: { ...texts, fieldExamples, resourceExample },
  };
}

function describe<N extends string>(names: readonly N[], descriptions: Record<N, Description>): Choice[] {
  return names.map((name) => ({ name, ...descriptions[name] }));
}

function describeType(name: Type): TypeChoice {
  const listed = /^(.*)\[\]$/.exec(name)?.[1];
  const sentence =
    listed === undefined ? typeSentences[name as keyof typeof typeSentences] : `A list of ${listed} values.`;
  return {
    name,
    title: name,
    sentence,
    example: fieldExamples.find((example) => readTypeName(example) === name) ?? `values:${name}`,
    bounds: bounds[name] ?? "none",
    canBeUnique: uniqueTypes.includes(name),
    canHaveDefault: name !== "ref",
  };
}

const readTypeName = (example: string) => /:([a-z]+(?:\[\])?)/.exec(example)?.[1];

const bounds: Partial<Record<Type, TypeChoice["bounds"]>> = {
  string: "range",
  number: "range",
  integer: "range",
  enum: "values",
  ref: "resource",
};

async function describeTarget(name: string): Promise<TargetChoice> {
  const { can, needsRegistry } = await loadTarget(name);
  const options = (["port", "domain", "replicas", "autoscale"] as const).filter((option) => can[option] === true);
  return {
    name,
    ...(targetDescriptions[name] as Description),
    isPreview: previews.includes(name),
    options: [...options, "registry"],
    required: needsRegistry ? ["registry"] : [],
  };
}
