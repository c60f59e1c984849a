import { preconditionFailed, preconditionRequired } from "../../../src/core/conditions.ts";
import { stillNeeded } from "../../../src/core/features/reference-fields/references.ts";
import { problemAnswers } from "../answers.ts";
import type { Described } from "../components.ts";
import type { Feature, Operation } from "../feature.ts";
import { always, answer, problems, sharedBy } from "../operations.ts";
import { refer } from "../references.ts";
import { referenceMember } from "../relations.ts";
import { findPlaces, listParameters } from "../templates.ts";
import { listConflicts } from "../unique.ts";

export const itemRoutes: Feature = { problems: [preconditionFailed(), preconditionRequired()] };

/** All methods at the path of one item. */
export const itemMethods = ["get", "put", "patch", "delete"];

type Paths = Record<string, Record<string, Operation>>;
type Resource = Described["resources"][number];

/** Describes the routes of single items, if a resource has them. */
export function describeItems(paths: Paths, { routes, resources, features }: Described): void {
  const isAsked = features.some(({ problems = [] }) => problems.some(({ status }) => status === 428));
  if (!isAsked) return;
  for (const route of routes)
    for (const { method, path } of findPlaces(route)) {
      const above = path.replace(/\/\{[^/]+\}$/, "");
      const [item = {}, creation] = [paths[path], paths[above]?.["post"]];
      const resource = resources.find(({ name }) => above.endsWith(`/${name}`));
      if (!resource || !creation || above === path || !itemMethods.every((one) => one in item)) continue;
      const { headers, security, refusals } = sharedBy(features, route);
      const failures = [...always, ...refusals, ...listFailures(method)];
      if (method === "put" || method === "patch") failures.push(...listConflicts(resource));
      const {
        operationId,
        summary,
        parameters = [],
        responses,
        ...own
      } = operationsOn(resource, headers)[method] ?? {};
      item[method] = {
        operationId: `${operationId}${String(creation["operationId"]).replace("create", "")}`,
        summary,
        tags: [resource.name],
        ...security,
        parameters: [...listParameters(path).map(idParameter), ...(parameters as object[])],
        ...own,
        responses: {
          ...(responses as object),
          ...describeRefusal(method, resource, resources, headers),
          ...problems(failures),
        },
      };
      addHeaders(creation);
    }
}

/** What is specific to each method. */
function operationsOn({ name, title }: Resource, headers: object): Record<string, Operation> {
  const [schema, sent] = [refer("schemas", title), refer("schemas", `New${title}`)];
  const tagged = { ...headers, ETag: etag };
  const found = { 200: answer("The stored one", schema, tagged) };
  const changed = { 200: answer("Changed, once it is durable", schema, tagged) };
  return {
    get: {
      operationId: "get",
      summary: `Reads one of the ${name}`,
      parameters: [
        condition("If-None-Match", false, "The ETag of the one that the client has: answers 304 if it is unchanged"),
      ],
      responses: { ...found, 304: { description: "Unchanged", headers: tagged } },
    },
    put: {
      operationId: "replace",
      summary: `Replaces one of the ${name}`,
      parameters: [ifMatch],
      requestBody: { required: true, content: { "application/json": { schema: sent } } },
      responses: changed,
    },
    patch: {
      operationId: "patch",
      summary: `Changes some fields of one of the ${name}`,
      parameters: [ifMatch],
      requestBody: { required: true, content: { "application/merge-patch+json": patch, "application/json": patch } },
      responses: changed,
    },
    delete: {
      operationId: "delete",
      summary: `Deletes one of the ${name} permanently`,
      parameters: [ifMatch],
      responses: { 204: { description: "Deleted, once it is durable", headers } },
    },
  };
}

const etag = { description: "Changes with the item; send it in If-Match to change it", schema: { type: "string" } };
const location = { description: "The path of the new one", schema: { type: "string" } };
const ifMatch = condition("If-Match", true, "The ETag of the one to change; * for any");
const patch = { schema: { type: "object", description: "RFC 7396: fields to set, or to remove if null" } };

function condition(name: string, required: boolean, description: string): object {
  return { name, in: "header", required, description, schema: { type: "string" } };
}

const idParameter = (name: string) => ({
  name,
  in: "path",
  required: true,
  schema: { type: "string", format: "uuid" },
});

function listFailures(method: string): number[] {
  if (method === "get") return [404];
  return method === "delete" ? [404, 412, 428] : [404, 412, 413, 415, 422, 428];
}

/** The answer if others refer to it. */
function describeRefusal(method: string, { name }: Resource, resources: Resource[], headers: object): object {
  return method === "delete" && resources.some((one) => refersTo(one, name))
    ? { 409: problemAnswers([stillNeeded()], headers)["Conflict"] }
    : {};
}

function refersTo({ jsonSchema: { properties = {} } }: Resource, name: string): boolean {
  return Object.values(properties).some((field) => field[referenceMember] === name);
}

/** Adds the headers that a creation answers. */
function addHeaders({ responses }: Operation): void {
  const { 201: created } = responses as Record<number, { headers?: object }>;
  if (created) created.headers = { ...created.headers, ETag: etag, Location: location };
}
