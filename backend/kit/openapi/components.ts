import type { Route } from "../../src/core/http/routes.ts";
import { anyAnswers, problemAnswers, problemSchema, problemsFor } from "./answers.ts";
import type { Declared } from "./declared.ts";
import { createExample, type Schema } from "./example.ts";
import { type Feature, listGuards, mergeHeaders } from "./feature.ts";
import { refer, references } from "./references.ts";

/** What a document is generated from. */
export interface Described {
  routes: (Route & { declared?: Declared })[];
  /** Routes that are no part of the API. Other routes may have the same paths. */
  hidden?: Route[];
  resources: { name: string; title: string; jsonSchema: Schema }[];
  features: Feature[];
}

/** The components that operations refer to, and those that the owner has added. */
export function createComponents(app: Described, paths: object, known: Record<string, object> = {}) {
  const { routes, resources, features } = app;
  const guards = listGuards(features);
  const headers = mergeHeaders(features);
  const own = [...guards, ...features].flatMap(({ problems = [] }) => problems);
  // By name: the app creates a resource after those that it refers to, and the document may list them in another order.
  const byName = resources.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const problems = [...problemsFor(byName), ...own];
  const answers = { ...problemAnswers(problems, references("headers", headers)), ...anyAnswers };
  const definitions = Object.assign({}, ...routes.map(({ declared }) => declared?.definitions));
  const made = {
    schemas: { ...definitions, ...Object.assign({}, ...resources.map(createSchemas)), Problem: problemSchema },
    responses: usedIn(paths, answers),
    securitySchemes: Object.assign({}, ...guards.map(({ securitySchemes }) => securitySchemes)),
    headers,
  };
  const others = { ...known, responses: withoutUnused(paths, known["responses"]) };
  const sections = Object.entries(made).map(([name, section]) => [
    name,
    { ...others[name as "responses"], ...section },
  ]);
  return { ...known, ...Object.fromEntries(sections.filter(([, section]) => Object.keys(section).length > 0)) };
}

function createSchemas({ name, title, jsonSchema }: Described["resources"][number]): object {
  const { properties = {}, required = [] } = jsonSchema;
  const isThere = (field: string) => required.includes(field) || properties[field]?.["default"] !== undefined;
  const example = createExample(jsonSchema);
  return {
    [`New${title}`]: { ...jsonSchema, ...(example !== undefined && { examples: [example] }) },
    [title]: {
      type: "object",
      properties: {
        id,
        ...properties,
        createdAt: moment,
      },
      required: ["id", ...Object.keys(properties).filter(isThere), "createdAt"],
      ...(typeof example === "object" && {
        examples: [{ id: createExample(id), ...example, createdAt: createExample(moment) }],
      }),
    },
    [`${title}Page`]: {
      description: `Some of the ${name}`,
      type: "object",
      properties: {
        items: { type: "array", items: refer("schemas", title) },
        nextCursor: { type: ["string", "null"], description: "The cursor of the next page, if there is one" },
      },
      required: ["items", "nextCursor"],
    },
  };
}

const id = { type: "string", format: "uuid" };
const moment = { type: "string", format: "date-time" };

/** The answers without those to problems that no operation has any more. */
function withoutUnused(paths: object, answers: object = {}): Record<string, object> {
  const ofProblems = Object.entries(answers).filter(([, { content = {} }]) => "application/problem+json" in content);
  const used = usedIn(paths, Object.fromEntries(ofProblems));
  return Object.fromEntries(
    Object.entries(answers).filter(([name, one]) => name in used || !ofProblems.some(([, other]) => other === one)),
  );
}

function usedIn(paths: object, answers: Record<string, object>): object {
  const text = JSON.stringify(paths);
  const isUsed = (name: string) => text.includes(JSON.stringify(refer("responses", name)));
  return Object.fromEntries(Object.entries(answers).filter(([name]) => isUsed(name)));
}
