import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { Fault } from "../fault.ts";
import type { Application, Service } from "./application.ts";

/** Secret values by name. */
export type Secrets = Record<string, string>;

/** The values that a service gets, from the environment or from a file of variables. */
export function pickSecrets(service: Service, given: NodeJS.ProcessEnv): Secrets {
  return Object.fromEntries(service.secrets.map((name) => [name, given[name] ?? ""]));
}

/** Reports all secrets without a value at once. */
export function checkSecrets({ services }: Application, given: NodeJS.ProcessEnv): void {
  const missing = services.flatMap((service) =>
    service.secrets
      .filter((name) => (given[name] ?? "").trim() === "")
      .map((name) => `${name} (of ${service.name}) ${given[name] === undefined ? "has no value" : "is blank"}`),
  );
  if (missing.length === 0) return;
  throw new Fault(
    "secret_missing",
    `dory.json declares secrets without a value: ${missing.join(", ")}. Set them in a file with --env-file, on stdin with --env-stdin, or in the environment.`,
  );
}

/** A keyed hash of the secrets. The key stays at the target: without it, nobody can guess values. */
export function hashSecrets(secrets: Secrets, key: string): string {
  return createHmac("sha256", key)
    .update(JSON.stringify(Object.entries(secrets).sort()))
    .digest("hex")
    .slice(0, 12);
}

export const stdin = "/dev/stdin";

/** Reads variables as `node --env-file` does, but refuses a value that would be truncated. */
export function readEnvFile(path: string): NodeJS.ProcessEnv {
  const text = readText(path);
  const shown = path === stdin ? "stdin" : path;
  let isWithin = "";
  for (const [index, line] of text.split("\n").entries()) {
    const [, quote = "", rest = ""] = /^\s*(?:export\s+)?[\w.]+\s*=\s*(["'`]?)(.*)$/.exec(isWithin ? "" : line) ?? [];
    if (isWithin) isWithin = line.includes(isWithin) ? "" : isWithin;
    else if (quote && !rest.includes(quote)) isWithin = quote;
    else if (!quote && rest.includes("#"))
      throw new Fault("env_file", `${shown}, line ${index + 1}: put the value in quotes, or "#" truncates it.`);
  }
  if (isWithin) throw new Fault("env_file", `${shown}: a quote (${isWithin}) is opened and never closed.`);
  return parseEnv(text);
}

function readText(path: string): string {
  try {
    return readFileSync(path === stdin ? 0 : path, "utf8");
  } catch (error) {
    throw new Fault("env_file", `${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
}
