import { createApp } from "#app";
import { readConfig } from "../src/config.ts";
import type { Resource } from "../src/resource.ts";
import { protocols } from "../src/store/open.ts";
import type { Store, Table } from "../src/store/store.ts";
import { apiTokens } from "../test/conformance/auth/tokens.ts";
import { corsOrigins } from "../test/conformance/cors/origins.ts";
import type { Described } from "./components.ts";
import { core } from "./feature.ts";
import { auth } from "./features/auth.ts";
import { cors } from "./features/cors.ts";
import { jsonSchemaOf } from "./schema.ts";

const features = [core];
features.push(auth);
features.push(cors);

/** What the app is made of. It is created as at startup, but opens no database and no port. */
export async function describeApp(): Promise<Described> {
  const resources: Resource[] = [];
  const nothing = async () => {};
  const store: Store = {
    table<T extends object>(resource: Resource<T>) {
      resources.push(resource as unknown as Resource);
      return {} as Table<T>;
    },
    open: nothing,
    ping: nothing,
    close: nothing,
  };
  const config = readConfig({
    ...process.env,
    ...apiTokens,
    ...corsOrigins,
    DATABASE_URL: `${protocols[0]}none`,
  });
  const app = await createApp({ config, store, health: nothing });
  await app.close?.();
  const usual = config.bodyLimitBytes;
  return {
    routes: app.routes.map(({ bodyLimit, ...route }) => (bodyLimit === usual ? route : { ...route, bodyLimit })),
    resources: resources.map((resource) => ({ ...resource, jsonSchema: jsonSchemaOf(resource) })),
    features,
  };
}
