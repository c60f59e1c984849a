import type { Route } from "../../src/core/http/routes.ts";
import { answerName, problemsFor } from "./answers.ts";
import type { Described } from "./components.ts";
import { type Feature, listGuards, mergeHeaders, type Operation, type Shared } from "./feature.ts";
import { refer, references } from "./references.ts";
import { listConflicts } from "./unique.ts";

/** The statuses of problems that do not depend on resources. */
const shared = problemsFor([]).map(({ status }) => status);

export function sharedBy(features: Feature[], route: Route): Shared {
  const all = listGuards(features);
  const guards = all.filter(({ isLifted }) => route.pattern !== "/health" && !isLifted(route));
  const schemes = guards.flatMap(({ securitySchemes }) => Object.keys(securitySchemes));
  const refusals = guards.flatMap(({ problems }) => problems.map(({ status }) => status));
  const ofFeatures = features.flatMap(({ problems = [] }) => problems);
  return {
    headers: references("headers", mergeHeaders(features)),
    security: all.length > 0 ? { security: schemes.map((scheme) => ({ [scheme]: [] })) } : {},
    refusals,
    possible: [...refusals, ...shared, ...ofFeatures.map(({ status }) => status)],
  };
}

/** The names of a resource: in paths, and in the names of components. */
interface Named {
  name: string;
  title: string;
}

/** The statuses that any request may get. */
export const always = [400, 408, 417, 431, 500, 503];

export function health({ headers, security }: Shared): Operation {
  const schema = { type: "object", properties: { status: { type: "string", enum: ["ok"] } }, required: ["status"] };
  return {
    operationId: "getHealth",
    summary: "Whether the server can take traffic",
    tags: ["health"],
    ...security,
    responses: { 200: answer("The server can take traffic", schema, headers), ...problems(always) },
  };
}

export function listing({ name, title }: Named, path: string, shared: Shared): Operation {
  return {
    operationId: `list${before(path)}${capital(name)}`,
    summary: `Lists ${name}, newest first`,
    tags: [name],
    ...shared.security,
    parameters: [
      { name: "limit", in: "query", schema: { type: "integer", minimum: 1, maximum: 100, default: 20 } },
      { name: "cursor", in: "query", description: "The nextCursor of the page before", schema: { type: "string" } },
    ],
    responses: {
      200: answer("A page", refer("schemas", `${title}Page`), shared.headers),
      ...problems([...always, ...shared.refusals]),
    },
  };
}

export function creation(resource: Described["resources"][number], path: string, shared: Shared): Operation {
  const { name, title } = resource;
  const refusals = [...always, ...shared.refusals, 413, 415, 422];
  refusals.push(...listConflicts(resource));
  return {
    operationId: `create${before(path)}${title}`,
    summary: `Creates one of the ${name}`,
    tags: [name],
    ...shared.security,
    parameters: [
      {
        name: "Idempotency-Key",
        in: "header",
        description: "Makes a retry safe: the same key and body get the first answer again",
        schema: { type: "string", pattern: "^[!-~]{1,255}$" },
      },
    ],
    requestBody: { required: true, content: { "application/json": { schema: refer("schemas", `New${title}`) } } },
    responses: {
      201: answer("Created, once it is durable", refer("schemas", title), shared.headers),
      ...problems(refusals),
    },
  };
}

export function answer(description: string, schema: object, headers: object): object {
  return { description, headers, content: { "application/json": { schema } } };
}

export function problems(statuses: number[]): object {
  const each = statuses.map((status) => [status, refer("responses", answerName(status))]);
  return { ...Object.fromEntries(each), default: refer("responses", "Problem") };
}

/** The words of a path, for a name: `/names/{id}` is `NamesById`. */
export function words(path: string): string {
  const parts = path.replaceAll(/\{/g, "/by-").match(/[A-Za-z0-9]+/g) ?? ["root"];
  return parts.map(capital).join("");
}

/** The words before the last segment. */
function before(path: string): string {
  const above = path.slice(0, path.lastIndexOf("/"));
  return above === "" ? "" : words(above);
}

export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
