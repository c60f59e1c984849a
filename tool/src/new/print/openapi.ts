import { newDocument, updated } from "../../../../backend/kit/openapi/document.ts";
import type { Schema } from "../../../../backend/kit/openapi/example.ts";
import { core, type Feature as Description } from "../../../../backend/kit/openapi/feature.ts";
import { auth } from "../../../../backend/kit/openapi/features/auth.ts";
import { cors } from "../../../../backend/kit/openapi/features/cors.ts";
import { itemMethods, itemRoutes } from "../../../../backend/kit/openapi/features/item-routes.ts";
import { webhooks } from "../../../../backend/kit/openapi/features/webhooks.ts";
import { printJson } from "../../../../backend/kit/openapi/json.ts";
import { describeResource } from "../../../../backend/kit/openapi/schema.ts";
import { buildResource } from "../builders.ts";
import type { Field } from "../field.ts";
import { toNames } from "../names.ts";
import type { Feature, Request } from "../request.ts";

/** The text of `openapi.json`, as the project's own script makes it from the app. */
export function printOpenApi({ name, fields, resources: others, features, webhooks: sources }: Request): string {
  const all = [{ name: "items", fields }, ...others];
  const routes = [
    { method: "GET", pattern: "/health" },
    ...all.flatMap((one) => [
      ...["GET", "POST"].map((method) => ({ method, pattern: `/${one.name}` })),
      ...(features.includes("item-routes") ? itemMethods : []).map((method) => ({
        method: method.toUpperCase(),
        pattern: `/${one.name}/:id`,
      })),
    ]),
    ...sources.map((source) => ({ method: "POST", pattern: `/webhooks/${source}`, ...webhookRoute })),
  ];
  const resources = all.map((one) => ({
    name: one.name,
    title: toNames(one.name).types[1],
    jsonSchema: describeFields(one.fields),
  }));
  const described = [core, ...features.map((feature) => descriptions[feature])];
  return printJson(updated(newDocument(name), { routes, resources, features: described }));
}

const descriptions: Record<Feature, Description> = { auth, cors, "item-routes": itemRoutes, webhooks };

/** The options of webhook routes, in every framework. */
const webhookRoute = { bodyLimit: 1_048_576, isPublic: true };

/** The JSON schema of what a client sends, as the project makes it from its `item.ts`. */
export function describeFields(fields: Field[]): Schema {
  return describeResource(buildResource({ name: "items", fields }));
}
