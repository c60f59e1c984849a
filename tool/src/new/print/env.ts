import { sourceDescriptions } from "../descriptions.ts";
import type { Feature, Request } from "../request.ts";
import { hasSchema } from "../settings.ts";
import { secretsVariable, sourceInfo } from "../webhooks.ts";

/** The parts of a request with variables that have no default. */
export type Features = Pick<Request, "features" | "webhooks">;

/** The text of `.env.example`: all variables with their defaults. */
export function printEnvExample(request: Request): string {
  const { database, features } = request;
  return `# Copy to .env, which npm start reads. In a container, set the variables themselves.
# NAME_FILE=/path can replace NAME: the file holds the value.
${printRequired(request)}${databaseLines[database]}
${hasSchema(request) ? `# Other services of the application may use the same database.\nDATABASE_SCHEMA=${request.name}\n` : ""}# PORT=3000
# HOST=127.0.0.1
# LOG_LEVEL=info
# MIGRATE=on
${features.includes("webhooks") ? webhookLines : ""}# BODY_LIMIT_BYTES=102400
# HEADERS_TIMEOUT_MS=10000
# REQUEST_TIMEOUT_MS=20000
# HANDLER_TIMEOUT_MS=10000
# KEEP_ALIVE_MS=75000
# MAX_CONNECTIONS=10000
# DRAIN_DELAY_MS=0
# SHUTDOWN_TIMEOUT_MS=10000
`;
}

const connectionLines = `# Connections of one process, and the certificates of authorities that a server's may be signed by.
# DATABASE_POOL_SIZE=10
# DATABASE_CA=system`;

const databaseLines = {
  sqlite: "# DATABASE_URL=file:./data/items.db",
  postgres: `DATABASE_URL=postgres://user:password@localhost:5432/database\n${connectionLines}`,
  both: `# DATABASE_URL=file:./data/items.db, or postgres://user:password@localhost:5432/database\n${connectionLines}`,
};

/** The lines for variables without a default. */
export function printRequired(request: Features): string {
  return request.features.map((feature) => featureLines[feature](request)).join("");
}

/** Secrets have no example values, which somebody might use. */
const featureLines: Record<Feature, (request: Features) => string> = {
  auth: () =>
    "# Tokens of at least 32 characters, or name:token, separated by commas: openssl rand -hex 32 makes one.\nAPI_TOKENS=\n",
  cors: () => "# Exact origins of front ends, separated by commas.\nCORS_ORIGINS=http://localhost:5173\n",
  "item-routes": () => "",
  webhooks: ({ webhooks }) =>
    webhooks
      .map(
        (source) =>
          `# Secrets of ${sourceDescriptions[source].title}: ${sourceInfo[source].origin}.\n${secretsVariable(source)}=\n`,
      )
      .join(""),
};

const webhookLines = `# WEBHOOK_BODY_LIMIT_BYTES=1048576
# WEBHOOK_HANDLER_TIMEOUT_MS=30000
# WEBHOOK_RETRY_MS=5000
# WEBHOOK_KEEP_DAYS=30
`;

/** The text of a first `.env`, so that `npm start` works at once; empty if none is needed. */
export function printEnv({ features, webhooks }: Features, random: () => string): string {
  const values: Record<Feature, () => string> = {
    auth: () => `API_TOKENS=${random()}\n`,
    cors: () => "CORS_ORIGINS=http://localhost:5173\n",
    "item-routes": () => "",
    webhooks: () =>
      webhooks.map((source) => `${secretsVariable(source)}=${sourceInfo[source].secret(random())}\n`).join(""),
  };
  return features.map((feature) => values[feature]()).join("");
}
