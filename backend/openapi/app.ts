import { createApp } from "#app";
import { readConfig } from "../src/config.ts";
import type { Inbox } from "../src/features/webhooks/inbox/inbox.ts";
import { createWebhooks } from "../src/features/webhooks/webhooks.ts";
import type { Resource } from "../src/resource.ts";
import { protocols } from "../src/store/open.ts";
import type { Store, Table } from "../src/store/store.ts";
import { apiTokens } from "../test/conformance/auth/tokens.ts";
import { corsOrigins } from "../test/conformance/cors/origins.ts";
import { webhookSecrets } from "../test/conformance/webhooks/senders.ts";
import type { Described } from "./components.ts";
import { core } from "./feature.ts";
import { auth } from "./features/auth.ts";
import { cors } from "./features/cors.ts";
import { itemRoutes } from "./features/item-routes.ts";
import { webhooks } from "./features/webhooks.ts";
import { jsonSchemaOf } from "./schema.ts";

const features = [core];
features.push(auth);
features.push(cors);
features.push(itemRoutes);
features.push(webhooks);

/** The routes and resources of the app. It is created as at startup, but opens no database and no port. */
export async function describeApp(): Promise<Described> {
  const resources: Resource[] = [];
  const nothing = async () => {};
  const store: Store = {
    table<T extends object>(resource: Resource<T>) {
      resources.push(resource as unknown as Resource);
      return {} as Table<T>;
    },
    inbox: () => ({}) as Inbox,
    open: nothing,
    ping: nothing,
    close: nothing,
  };
  const config = readConfig({
    ...process.env,
    ...apiTokens,
    ...corsOrigins,
    ...webhookSecrets,
    DATABASE_URL: `${protocols[0]}none`,
  });
  const parts = {
    config,
    store,
    health: nothing,
    webhooks: createWebhooks(config.webhooks, store),
  };
  const app = await createApp(parts);
  await app.close?.();
  const usual = config.bodyLimitBytes;
  return {
    routes: app.routes.map(({ bodyLimit, ...route }) => (bodyLimit === usual ? route : { ...route, bodyLimit })),
    resources: resources.map((resource) => ({ ...resource, jsonSchema: jsonSchemaOf(resource) })),
    features,
  };
}
