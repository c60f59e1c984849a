import type { Request } from "./request.ts";
import { variableOf } from "./webhooks.ts";

/** What a release of a backend is given. */
export interface Settings {
  env?: Record<string, string>;
  /** Names of variables whose values are secret. */
  secrets?: string[];
}

/** What a release needs, in addition to the request. */
export function settingsOf(request: Request): Settings {
  const { name, database, features, webhooks } = request;
  const env = {
    ...(hasSchema(request) ? { DATABASE_SCHEMA: name } : {}),
    ...(features.includes("cors") ? { CORS_ORIGINS: "http://localhost:5173" } : {}),
  };
  const secrets = [
    ...(database === "postgres" ? ["DATABASE_URL"] : []),
    ...(features.includes("auth") ? ["API_TOKENS"] : []),
    ...webhooks.map(variableOf),
  ];
  return { ...(Object.keys(env).length > 0 ? { env } : {}), ...(secrets.length > 0 ? { secrets } : {}) };
}

/** On one database, services must not share tables. */
export const hasSchema = ({ application, database }: Request) => application !== undefined && database !== "sqlite";
