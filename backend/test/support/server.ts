import { apiTokens } from "../../kit/suite/auth/tokens.ts";
import { corsOrigins } from "../../kit/suite/cors/origins.ts";
import { webhookSecrets } from "../../kit/suite/webhooks/senders.ts";
import { readConfig } from "../../src/config.ts";
import { type AppListener, AppServer, createHttpServer } from "../../src/core/http/server.ts";
import { createGuards, createParts } from "../../src/core/start.ts";
import { features } from "../../src/features.ts";

/** The server around an app, with the features, as at startup. Its database is not opened. */
export function createTestServer(app: AppListener, variables: NodeJS.Dict<string> = {}, server = new AppServer()) {
  const config = readConfig({ PORT: "0", ...apiTokens, ...corsOrigins, ...webhookSecrets, ...variables });
  const parts = { ...createParts(config, features), server };
  return createHttpServer(app, config, server, createGuards(features, app, parts));
}
