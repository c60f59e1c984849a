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

/** The text of the first `.env` of a project or an application; none if it works without. */
export function printAnyEnv(request: AnyRequest, random: () => string): string {
  if (!isApplication(request)) return printEnv(request, random);
  const url = hasDatabase(request) ? databaseLines(request, random()) : "";
  return printEnv(secretFeatures(request), random) + url;
}

/** The text of `.env.example`: what is secret. All else is in `dory.json`; none if nothing is. */
export function printApplicationEnvExample(request: ApplicationRequest): string {
  const lines =
    printRequired(secretFeatures(request)) + (hasDatabase(request) ? databaseLines(request, "", "PASSWORD") : "");
  return lines === ""
    ? ""
    : `# Copy to .env, for npm start, compose.yaml and publishing. Other variables are set in dory.json.\n${lines}`;
}

/** What any of the services has; one value serves them all. Origins are no secret. */
function secretFeatures({ services }: ApplicationRequest): Features {
  const isAny = (feature: Feature) =>
    feature !== "cors" && services.some((service) => service.features.includes(feature));
  const isSent = (source: Source) => services.some((service) => service.webhooks.includes(source));
  return { features: features.filter(isAny), webhooks: sources.filter(isSent) };
}

function databaseLines(request: ApplicationRequest, password: string, inUrl = password): string {
  const url = `postgres://postgres:${inUrl}@${databaseService}:5432/${databaseName(request)}`;
  return `# For containers. npm start brings a PostgreSQL of its own, unless DATABASE_URL is set where it is run.
POSTGRES_PASSWORD=${password}
DATABASE_URL=${url}
`;
}
