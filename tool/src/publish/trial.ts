import { randomBytes } from "node:crypto";
import { sources } from "../new/request.ts";
import { secretsVariable, sourceInfo } from "../new/webhooks.ts";
import type { Service } from "./application.ts";
import { findPasswords } from "./credentials.ts";
import type { Secrets } from "./secrets.ts";

/** What a trial runs with. */
export interface Trial {
  env: Record<string, string>;
  secrets: Secrets;
  /** The password of the trial's PostgreSQL server, whose host name is `database`. */
  databasePassword?: string;
  /** The variables whose real values a trial must not use. */
  replaced: string[];
}

/** The values of a trial: its own database and tokens, and no credentials for anything else. */
export function createTrial(service: Service, secrets: Secrets): Trial {
  const { own, ...rest } = createOwnValues(service, secrets);
  const others = (values: Record<string, string>) =>
    Object.entries(values).filter(([name]) => !Object.hasOwn(own, name));
  const replaceAll = (values: Record<string, string>) =>
    Object.fromEntries(others(values).map(([name, value]) => [name, toStandIn(value)]));
  const replaced = others({ ...service.env, ...secrets }).filter(([, value]) => toStandIn(value) !== value);
  return {
    env: replaceAll(service.env),
    secrets: { ...replaceAll(secrets), ...own },
    replaced: replaced.map(([name]) => name),
    ...rest,
  };
}

/** Values for the variables of our backends: the database, tokens and webhook secrets. */
function createOwnValues(service: Service, secrets: Secrets): { own: Secrets; databasePassword?: string } {
  const createToken = () => randomBytes(24).toString("hex");
  const tokens: Secrets = {
    ...(Object.hasOwn(secrets, "API_TOKENS") && { API_TOKENS: createToken() }),
    ...createWebhookSecrets(Object.keys(secrets)),
  };
  if (service.request?.database === "postgres") {
    const databasePassword = createToken();
    const url = `postgres://postgres:${databasePassword}@database:5432/postgres`;
    return { own: { ...tokens, DATABASE_URL: url }, databasePassword };
  }
  const isGiven = Object.hasOwn({ ...service.env, ...secrets }, "DATABASE_URL");
  return { own: { ...tokens, ...(isGiven ? { DATABASE_URL: "file:./data/items.db" } : {}) } };
}

/** Random secrets, so that a trial accepts no real events. */
function createWebhookSecrets(names: string[]): Secrets {
  const asked = sources.filter((source) => names.includes(secretsVariable(source)));
  return Object.fromEntries(
    asked.map((source) => [secretsVariable(source), sourceInfo[source].secret(randomBytes(32).toString("hex"))]),
  );
}

/** The value, or a URL of the same form without a real host if it is that of a server with credentials. */
function toStandIn(value: string): string {
  const urls = value.split(",");
  const isServer = urls.some((url) => findPasswords(url).length > 0 || servers.test(url.trim()));
  return isServer
    ? urls.map((url) => url.trim().replace(/^([^:]+:\/\/)[^/?#]*([^?#]*).*$/, unreachable)).join(",")
    : value;
}

// A reserved name: it never resolves.
const unreachable = "$1trial:trial@trial.invalid$2";
const servers =
  /^(postgres(ql)?|mysql|mariadb|mongodb(\+srv)?|rediss?|amqps?|nats|mssql|sqlserver|clickhouse|ldaps?|smtps?):\/\//i;
