import { PublicRoutes } from "../../src/core/features/auth/public-routes.ts";
import type { Route } from "../../src/core/http/routes.ts";
import type { Resource } from "../../src/core/resource.ts";
import { appBundle } from "../build/compile.ts";
import { createListener } from "../listener.ts";
import { has, hasFeature, load } from "../project.ts";
import { apiTokens } from "../suite/auth/tokens.ts";
import { corsOrigins } from "../suite/cors/origins.ts";
import { webhookSecrets } from "../suite/webhooks/senders.ts";
import { loadJsx } from "../test/jsx.ts";
import type { Described } from "./components.ts";
import type { Declaration } from "./declaration.ts";
import { declaredIn } from "./declared.ts";
import { core, type Feature } from "./feature.ts";
import { auth } from "./features/auth.ts";
import { cors } from "./features/cors.ts";
import { itemRoutes } from "./features/item-routes.ts";
import { webhooks } from "./features/webhooks.ts";
import { createReader } from "./route.ts";
import { describeResource } from "./schema.ts";

/** What each feature adds to the description. */
const described: Record<string, Feature> = { auth, cors, "item-routes": itemRoutes, webhooks };

/** The routes and resources of the app. It is created as at startup, but opens no database and no port. */
export async function describeApp(): Promise<Described> {
  const resources: Resource[] = [];
  // As in the image: some packages add other routes in development.
  process.env["NODE_ENV"] = "production";
  await loadJsx();
  const { readConfig } = await load<typeof import("../../src/config.ts")>("src/config.ts");
  const { createParts } = await load<typeof import("../../src/core/start.ts")>("src/core/start.ts");
  const { features } = await load<typeof import("../../src/features.ts")>("src/features.ts");
  const config = readConfig({
    ...process.env,
    ...apiTokens,
    ...corsOrigins,
    ...webhookSecrets,
    DATABASE_URL: has("src/core/store/sqlite.ts") ? "file:none" : "postgres://none",
  });
  const parts = createParts(config, features);
  const { store } = parts;
  const { table } = store;
  store.table = (resource) => {
    resources.push(resource as unknown as Resource);
    return table(resource);
  };
  const { readRoute } = createReader();
  const app = await createListener(parts, has("src/core/nest") ? appBundle : undefined);
  await app.close?.();
  const routes = app.routes
    .filter(({ isAlias }) => !isAlias)
    .map((route) => describe(route, readRoute, config.bodyLimitBytes, resources));
  for (const { route } of new PublicRoutes({ ...app, routes }).findClosed()) route.isPublic = false;
  return {
    routes: routes.filter(({ isHidden }) => !isHidden),
    hidden: routes.filter(({ isHidden }) => isHidden),
    resources: resources.map((resource) => ({ ...resource, jsonSchema: describeResource(resource) })),
    features: [
      core,
      ...Object.keys(described)
        .filter(hasFeature)
        .flatMap((name) => described[name] ?? []),
    ],
  };
}

function describe(
  { definition, bodyLimit, ...route }: Route,
  readRoute: (definition: unknown) => Declaration,
  usualLimit: number,
  resources: Resource[],
) {
  const declaration = definition === undefined ? {} : readRoute(definition);
  const declared = declaredIn(declaration);
  const resource = resources.find(({ schema }) => schema === declaration.body)?.name;
  if (declared.body) Object.assign(declared.body, { resource });
  return { ...route, declared, isHidden: declaration.isHidden, ...(bodyLimit !== usualLimit && { bodyLimit }) };
}
