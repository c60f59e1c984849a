import type { Request } from "./request.ts";
import { secretsVariable } from "./webhooks.ts";

/** The variables of a backend when it is published. */
export interface Settings {
  env?: Record<string, string>;
  /** Names of variables whose values are secret. */
  secrets?: string[];
}

export function toSettings(request: Request): Settings {
  const { name, database, features, webhooks } = request;
  const env = {
    ...(hasSchema(request) ? { DATABASE_SCHEMA: name } : {}),
    ...(features.includes("cors") ? { CORS_ORIGINS: "http://localhost:5173" } : {}),
  };
  const secrets = [
    ...(database === "postgres" ? ["DATABASE_URL"] : []),
    ...(features.includes("auth") ? ["API_TOKENS"] : []),
    ...webhooks.map(secretsVariable),
  ];
  return { ...(Object.keys(env).length > 0 ? { env } : {}), ...(secrets.length > 0 ? { secrets } : {}) };
}

/** Services that share a database must not share tables. */
export const hasSchema = ({ application, database }: Request) => application !== undefined && database !== "sqlite";
