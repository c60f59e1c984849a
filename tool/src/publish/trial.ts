import { randomBytes } from "node:crypto";
import { sources } from "../new/request.ts";
import { described, variableOf } from "../new/webhooks.ts";
import type { Service } from "./application.ts";
import { passwordsIn } from "./credentials.ts";
import type { Secrets } from "./secrets.ts";

/** What a service is tried with. */
export interface Trial {
  env: Record<string, string>;
  secrets: Secrets;
  /** The password of a PostgreSQL server that the trial needs, by the name `database`. */
  databasePassword?: string;
  /** The variables whose real values lead to something that a trial must not touch. */
  replaced: string[];
}

/** The values of a trial: a database and tokens of its own, and nothing that opens anything else. */
export function trialOf(service: Service, secrets: Secrets): Trial {
  const { own, ...rest } = ownValues(service, secrets);
  const others = (values: Record<string, string>) =>
    Object.entries(values).filter(([name]) => !Object.hasOwn(own, name));
  const standIns = (values: Record<string, string>) =>
    Object.fromEntries(others(values).map(([name, value]) => [name, standIn(value)]));
  const replaced = others({ ...service.env, ...secrets }).filter(([, value]) => standIn(value) !== value);
  return {
    env: standIns(service.env),
    secrets: { ...standIns(secrets), ...own },
    replaced: replaced.map(([name]) => name),
    ...rest,
  };
}

/** What every backend of ours knows: the database, and the tokens that open it. */
function ownValues(service: Service, secrets: Secrets): { own: Secrets; databasePassword?: string } {
  const random = () => randomBytes(24).toString("hex");
  const tokens: Secrets = {
    ...(Object.hasOwn(secrets, "API_TOKENS") && { API_TOKENS: random() }),
    ...webhookSecrets(Object.keys(secrets)),
  };
  if (service.request?.database === "postgres") {
    const databasePassword = random();
    const url = `postgres://postgres:${databasePassword}@database:5432/postgres`;
    return { own: { ...tokens, DATABASE_URL: url }, databasePassword };
  }
  const isGiven = Object.hasOwn({ ...service.env, ...secrets }, "DATABASE_URL");
  return { own: { ...tokens, ...(isGiven ? { DATABASE_URL: "file:./data/items.db" } : {}) } };
}

/** Real events are never accepted by a trial, nor are any handled. */
function webhookSecrets(names: string[]): Secrets {
  const asked = sources.filter((source) => names.includes(variableOf(source)));
  return Object.fromEntries(
    asked.map((source) => [variableOf(source), described[source].secret(randomBytes(32).toString("hex"))]),
  );
}

/** A URL of the same form that leads nowhere, if the value leads to a server that asks for credentials. */
function standIn(value: string): string {
  const urls = value.split(",");
  const leadsOn = urls.some((url) => passwordsIn(url).length > 0 || servers.test(url.trim()));
  return leadsOn ? urls.map((url) => url.trim().replace(/^([^:]+:\/\/)[^/?#]*([^?#]*).*$/, nowhere)).join(",") : value;
}

// The name is reserved: no server answers to it.
const nowhere = "$1trial:trial@trial.invalid$2";
const servers =
  /^(postgres(ql)?|mysql|mariadb|mongodb(\+srv)?|rediss?|amqps?|nats|mssql|sqlserver|clickhouse|ldaps?|smtps?):\/\//i;
