import { readConfig } from "../../src/config.ts";
import { PublicRoutes } from "../../src/core/features/auth/public-routes.ts";
import type { AppListener } from "../../src/core/http/app-server.ts";
import type { Route } from "../../src/core/http/routes.ts";
import { createParts } from "../../src/core/parts.ts";
import type { Resource } from "../../src/core/resource.ts";
import { protocols } from "../../src/core/store/open.ts";
import { features } from "../../src/features.ts";
import type { Parts } from "../../src/parts.ts";
import { apiTokens } from "../suite/auth/tokens.ts";
import { corsOrigins } from "../suite/cors/origins.ts";
import { webhookSecrets } from "../suite/webhooks/senders.ts";
import type { Described } from "./components.ts";
import { declaredIn } from "./declared.ts";
import { core } from "./feature.ts";
import { auth } from "./features/auth.ts";
import { cors } from "./features/cors.ts";
import { itemRoutes } from "./features/item-routes.ts";
import { webhooks } from "./features/webhooks.ts";
import { readRoute } from "./route.ts";
import { jsonSchemaOf } from "./schema.ts";

const described = [core];
described.push(auth);
described.push(cors);
described.push(itemRoutes);
described.push(webhooks);

interface Program {
  createListener(parts: Parts): AppListener | Promise<AppListener>;
}

/** The routes and resources of the app. It is created as at startup, but opens no database and no port. */
export async function describeApp(): Promise<Described> {
  const resources: Resource[] = [];
  // As in the image: some packages add other routes in development.
  process.env["NODE_ENV"] = "production";
  const config = readConfig({
    ...process.env,
    ...apiTokens,
    ...corsOrigins,
    ...webhookSecrets,
    DATABASE_URL: `${protocols[0]}none`,
  });
  const parts = createParts(config, features);
  const { store } = parts;
  const { table } = store;
  store.table = (resource) => {
    resources.push(resource as unknown as Resource);
    return table(resource);
  };
  // Only now, because `route.ts` may have to see how the app is loaded.
  const { createListener }: Program = await import("#listener");
  const app = await createListener(parts);
  await app.close?.();
  const routes = app.routes
    .filter(({ isAlias }) => !isAlias)
    .map((route) => describe(route, config.bodyLimitBytes, resources));
  for (const { route } of new PublicRoutes({ ...app, routes }).findClosed()) route.isPublic = false;
  return {
    routes: routes.filter(({ isHidden }) => !isHidden),
    resources: resources.map((resource) => ({ ...resource, jsonSchema: jsonSchemaOf(resource) })),
    features: described,
  };
}

function describe({ definition, bodyLimit, ...route }: Route, usualLimit: number, resources: Resource[]) {
  const declaration = definition === undefined ? {} : readRoute(definition);
  const declared = declaredIn(declaration);
  const resource = resources.find(({ schema }) => schema === declaration.body)?.name;
  if (declared.body) Object.assign(declared.body, { resource });
  return { ...route, declared, isHidden: declaration.isHidden, ...(bodyLimit !== usualLimit && { bodyLimit }) };
}
