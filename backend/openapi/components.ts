import type { Route } from "../src/http/routes.ts";
import { problemAnswers, problemSchema, problemsFor } from "./answers.ts";
import { exampleOf, type Schema } from "./example.ts";
import { type Feature, guardsOf, headersOf } from "./feature.ts";
import { refer, references } from "./references.ts";

/** What a document is generated from. */
export interface Described {
  routes: Route[];
  resources: { name: string; title: string; jsonSchema: Schema }[];
  features: Feature[];
}

/** The components that operations refer to, and those that the owner has added. */
export function componentsOf({ resources, features }: Described, paths: object, known: Record<string, object> = {}) {
  const guards = guardsOf(features);
  const headers = headersOf(features);
  const own = [...guards, ...features].flatMap(({ problems = [] }) => problems);
  // By name: the app creates a resource after those that it refers to, and the document may list them in another order.
  const byName = resources.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const problems = [...problemsFor(byName), ...own];
  const made = {
    schemas: { ...Object.assign({}, ...resources.map(schemasOf)), Problem: problemSchema },
    responses: usedIn(paths, problemAnswers(problems, references("headers", headers))),
    securitySchemes: Object.assign({}, ...guards.map(({ securitySchemes }) => securitySchemes)),
    headers,
  };
  const sections = Object.entries(made).map(([name, section]) => [name, { ...known[name], ...section }]);
  return { ...known, ...Object.fromEntries(sections.filter(([, section]) => Object.keys(section).length > 0)) };
}

function schemasOf({ name, title, jsonSchema }: Described["resources"][number]): object {
  const { properties = {}, required = [] } = jsonSchema;
  const isThere = (field: string) => required.includes(field) || properties[field]?.["default"] !== undefined;
  const example = exampleOf(jsonSchema);
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
        examples: [{ id: exampleOf(id), ...example, createdAt: exampleOf(moment) }],
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

function usedIn(paths: object, answers: Record<string, object>): object {
  const text = JSON.stringify(paths);
  const isUsed = (name: string) => text.includes(JSON.stringify(refer("responses", name)));
  return Object.fromEntries(Object.entries(answers).filter(([name]) => isUsed(name)));
}
