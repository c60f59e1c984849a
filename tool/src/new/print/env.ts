import type { Feature, Request } from "../request.ts";

/** The text of `.env.example`: what can be set, with its default. */
export function printEnvExample({ database, features }: Request): string {
  return `# Copy to .env, which npm start reads. In a container, set the variables themselves.
# NAME_FILE=/path may stand for NAME: the file holds the value.
${features.map((feature) => featureLines[feature]).join("")}${databaseLines[database]}
# PORT=3000
# HOST=127.0.0.1
# LOG_LEVEL=info
# BODY_LIMIT_BYTES=102400
# HEADERS_TIMEOUT_MS=10000
# REQUEST_TIMEOUT_MS=20000
# HANDLER_TIMEOUT_MS=10000
# KEEP_ALIVE_MS=75000
# MAX_CONNECTIONS=10000
# DRAIN_DELAY_MS=0
# SHUTDOWN_TIMEOUT_MS=10000
`;
}

const databaseLines = {
  sqlite: "# DATABASE_URL=file:./data/items.db",
  postgres: "DATABASE_URL=postgres://user:password@localhost:5432/database",
  both: "# DATABASE_URL=file:./data/items.db, or postgres://user:password@localhost:5432/database",
};

/** What has no default. A token must not come from an example. */
const featureLines: Record<Feature, string> = {
  auth: "# Tokens of at least 32 characters, separated by commas: openssl rand -hex 32 makes one.\nAPI_TOKENS=\n",
  cors: "# Exact origins of front ends, separated by commas.\nCORS_ORIGINS=http://localhost:5173\n",
};

/** The text of a first `.env`, with which `npm start` works at once; none if it works without. */
export function printEnv({ features }: Request, token: string): string {
  const values: Record<Feature, string> = {
    auth: `API_TOKENS=${token}\n`,
    cors: "CORS_ORIGINS=http://localhost:5173\n",
  };
  return features.map((feature) => values[feature]).join("");
}
