// Only data: the help, the questions, the page and the tools for assistants describe choices in these words.

import type { Framework } from "../../../backend/src/frameworks/names.ts";
import type { databases, nodes, simpleFeatures, sources } from "./choices.ts";
import type { ListType, Type } from "./field-types.ts";

/** How a choice is described to people. */
export interface Description {
  /** As people write it: `NestJS`. */
  title: string;
  sentence: string;
}

export const frameworkDescriptions: Record<Framework, Description> = {
  elysia: { title: "Elysia", sentence: "Types from end to end; made for Bun, here on Node." },
  express: { title: "Express", sentence: "The best known, with middleware for nearly everything." },
  fastify: { title: "Fastify", sentence: "Plugins, hooks and schemas, made for high throughput." },
  h3: { title: "h3", sentence: "The small server of Nitro and Nuxt, on web standards." },
  hapi: { title: "hapi", sentence: "Configuration rather than code, and few packages of others." },
  hono: { title: "Hono", sentence: "Small and fast, on web standards, for every runtime." },
  koa: { title: "Koa", sentence: "A minimal core with middleware as async functions." },
  nest: { title: "NestJS", sentence: "Modules, controllers and dependency injection." },
};

export const databaseDescriptions: Record<(typeof databases)[number], Description> = {
  both: { title: "SQLite or PostgreSQL", sentence: "Chosen at run time by DATABASE_URL: a file, or a server." },
  sqlite: { title: "SQLite", sentence: "A file on a volume, for one container; there is nothing to install." },
  postgres: { title: "PostgreSQL", sentence: "A server that any number of containers share." },
};

export const featureDescriptions: Record<(typeof simpleFeatures)[number], Description> = {
  auth: { title: "auth", sentence: "Requires bearer tokens from API_TOKENS." },
  cors: { title: "cors", sentence: "Allows front ends from CORS_ORIGINS." },
  "item-routes": {
    title: "item-routes",
    sentence: "Reads, changes and deletes one item at /items/{id}, with ETag and If-Match.",
  },
};

export const sourceDescriptions: Record<(typeof sources)[number], Description> = {
  github: { title: "GitHub", sentence: "Receives events of repositories and organizations." },
  stripe: { title: "Stripe", sentence: "Receives events of payments and subscriptions." },
  standard: {
    title: "Standard Webhooks",
    sentence: "Receives events of any sender that signs as standardwebhooks.com says.",
  },
  slack: { title: "Slack", sentence: "Receives events and commands of a Slack app." },
};

export const nodeDescriptions: Record<(typeof nodes)[number], Description> = {
  system: { title: "system", sentence: "Uses the machine's own Node, 26 or later." },
  pinned: { title: "pinned", sentence: "Uses Node 26 from npm, whatever the machine has." },
};

/** What a value is. A list is described by what it contains. */
export const typeSentences: Record<Exclude<Type, ListType>, string> = {
  string: "Text, with bounds for its length.",
  number: "A number, with bounds.",
  integer: "A whole number, with bounds.",
  enum: "One of the values that you list.",
  ref: "The id of an item of another resource.",
  boolean: "True or false.",
  timestamp: "A moment: a date and a time in UTC.",
  date: "A day without a time.",
  uuid: "A UUID.",
  email: "An email address.",
  url: "A URL.",
  json: "Any JSON value.",
};

/** What a name, a field and a resource may be. */
export const texts = {
  name: "Lower-case letters and digits, with single dots, dashes or underscores between them.",
  field: "A camelCase name and a type; ? makes it optional, =VALUE sets a default, unique allows each value once.",
  resource: "A plural name in lower case, a colon, and fields separated by commas.",
};
