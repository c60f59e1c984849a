import { type Feature, features, type Source, sources } from "../../request.ts";
import {
  type AnyRequest,
  type ApplicationRequest,
  databaseName,
  databaseService,
  hasDatabase,
  isApplication,
} from "../../services.ts";
import { type Features, printEnv, printRequired } from "../env.ts";

/** The text of the first `.env` of a project or an application; empty if none is needed. */
export function printAnyEnv(request: AnyRequest, random: () => string): string {
  if (!isApplication(request)) return printEnv(request, random);
  const url = hasDatabase(request) ? databaseLines(request, random()) : "";
  return printEnv(secretFeatures(request), random) + url;
}

/** The text of `.env.example`: the secrets; other variables are in `dory.json`. Empty without secrets. */
export function printApplicationEnvExample(request: ApplicationRequest): string {
  const lines =
    printRequired(secretFeatures(request)) + (hasDatabase(request) ? databaseLines(request, "", "PASSWORD") : "");
  return lines === ""
    ? ""
    : `# Copy to .env, for npm start, compose.yaml and publishing. Other variables are set in dory.json.\n${lines}`;
}

/** The features of any service; all services share a secret's value. Origins are not secret. */
function secretFeatures({ services }: ApplicationRequest): Features {
  const isAny = (feature: Feature) =>
    feature !== "cors" && services.some((service) => service.features.includes(feature));
  const isSent = (source: Source) => services.some((service) => service.webhooks.includes(source));
  return { features: features.filter(isAny), webhooks: sources.filter(isSent) };
}

function databaseLines(request: ApplicationRequest, password: string, inUrl = password): string {
  const url = `postgres://postgres:${inUrl}@${databaseService}:5432/${databaseName(request)}`;
  return `# For containers. npm start starts its own PostgreSQL, unless DATABASE_URL is set in its environment.
POSTGRES_PASSWORD=${password}
DATABASE_URL=${url}
`;
}
