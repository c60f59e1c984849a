import { list } from "../../environment.ts";
import type { Feature } from "../../start.ts";
import { createGuard } from "./auth.ts";
import { type Caller, token, tokenHeader } from "./token.ts";

declare module "../../start.ts" {
  interface Settings {
    apiTokens: Caller[];
  }
}

/** Every request needs a token, unless its route is public. */
export const auth: Feature = {
  readSettings: (read) => ({ apiTokens: read("API_TOKENS", undefined, list(token)) }),
  requestHeaders: [tokenHeader],
  createGuard: (app, { config, server }) => createGuard(app, config.apiTokens, server),
};
