import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { credentials } from "../../../backend/test/conformance/auth/tokens.ts";
import type { ItemSchema } from "../../../backend/test/conformance/items.ts";
import { defaults } from "../../../backend/test/conformance/suite.ts";
import { checksFor } from "../checks.ts";
import { Fault } from "../fault.ts";
import { defaultFields, parseFields } from "../field.ts";
import { originHeader, schemaOf } from "../print/openapi.ts";
import { type Feature, features, readFeatures, readWritten } from "../request.ts";

/** What a backend was made of, as far as it matters here. */
interface Made {
  item: ItemSchema;
  features: Feature[];
}

interface Finding {
  check: string;
  fault?: string;
}

/** Holds a running backend against the contract. */
export async function check(args: string[]): Promise<number> {
  const { url, made, isJson } = readFlags(args);
  const { item } = made;
  const features = await reach(url, made.features);
  const findings: Finding[] = [];
  for (const { name, run } of checksFor(features)) {
    const fault = await run({ ...defaults, url, item }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    findings.push(fault === undefined ? { check: name } : { check: name, fault });
    if (fault !== undefined && !isJson) console.log(`✗ ${name}\n${indent(fault)}`);
  }
  const faults = findings.filter(({ fault }) => fault !== undefined).length;
  if (isJson) console.log(JSON.stringify({ ok: faults === 0, url, checks: findings }));
  else console.log(`${findings.length - faults} of ${findings.length} checks hold for ${url}`);
  return faults === 0 ? 0 : 1;
}

function readFlags(args: string[]): { url: string; made: Made; isJson: boolean } {
  try {
    const options = { "fields-from": { type: "string" }, json: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [url = "", ...rest] = positionals;
    if (rest.length > 0 || !/^http:\/\//.test(url) || !URL.canParse(url)) throw new Error("Give one http: URL");
    return { url, made: madeFrom(values["fields-from"]), isJson: values.json ?? false };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("usage", `${(error as Error).message.split(". ")[0]}. See npx dory --help.`);
  }
}

/** What an item is and which features there are, from `dory.json` or from an OpenAPI document. */
function madeFrom(path: string | undefined): Made {
  if (path === undefined) return { item: schemaOf(defaultFields) as ItemSchema, features: [] };
  const document = readJson(path);
  if (Array.isArray(document.fields)) {
    const { fields = [], features = [] } = readWritten(document);
    return { item: schemaOf(parseFields(fields)) as ItemSchema, features: readFeatures(features) };
  }
  const { schemas, securitySchemes, headers } = document.components ?? {};
  const isMeant = { auth: securitySchemes?.bearer, cors: headers?.[originHeader] };
  if (schemas?.NewItem) return { item: schemas.NewItem, features: features.filter((feature) => isMeant[feature]) };
  throw new Fault(
    "fields_from",
    `${path} tells no fields: it is neither a dory.json nor an OpenAPI document with NewItem.`,
  );
}

// biome-ignore lint/suspicious/noExplicitAny: a document of unknown shape
function readJson(path: string): any {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Fault(
      "fields_from",
      `${path} cannot be read as JSON (${(error as NodeJS.ErrnoException).code ?? "malformed"}).`,
    );
  }
}

/** Finds out whether the backend can be asked at all; gives its features, tokens among them if it demands one. */
async function reach(url: string, features: Feature[]): Promise<Feature[]> {
  const demandsToken = (await statusOf(url, {})) === 401;
  const found = demandsToken ? readFeatures([...features, "auth"]) : features;
  if (found.includes("auth")) await reachWithToken(url);
  if (found.includes("cors") && process.env["CORS_ORIGINS"] === undefined)
    throw new Fault("origins_missing", "Set CORS_ORIGINS to the origins that the backend was started with.");
  return found;
}

async function reachWithToken(url: string): Promise<void> {
  if (process.env["API_TOKENS"] === undefined)
    throw new Fault("token_missing", "The backend wants a token. Set API_TOKENS to one of its tokens, better to two.");
  if (!/^[!-~]+ [!-~]+$/.test(credentials["Authorization"] ?? "") || (await statusOf(url, credentials)) === 401)
    throw new Fault("token_refused", "The backend does not take the first token in API_TOKENS. Set one that it takes.");
}

async function statusOf(url: string, headers: Record<string, string>): Promise<number> {
  const { status } = await fetch(new URL("/items", url), { headers }).catch(() => {
    throw new Fault("unreachable", `Nothing answers at ${url}. Start the backend, or mend the URL.`);
  });
  return status;
}

function indent(text: string): string {
  return text
    .split("\n")
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join("\n");
}
