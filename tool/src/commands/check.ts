import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { checks } from "../../../backend/test/conformance/index.ts";
import type { ItemSchema } from "../../../backend/test/conformance/items.ts";
import { defaults } from "../../../backend/test/conformance/suite.ts";
import { Fault } from "../fault.ts";
import { defaultFields, parseFields } from "../field.ts";
import { schemaOf } from "../print/openapi.ts";

interface Finding {
  check: string;
  fault?: string;
}

/** Holds a running backend against the contract. */
export async function check(args: string[]): Promise<number> {
  const { url, item, isJson } = readFlags(args);
  await reach(url);
  const findings: Finding[] = [];
  for (const { name, run } of checks) {
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

function readFlags(args: string[]): { url: string; item: ItemSchema; isJson: boolean } {
  try {
    const options = { "fields-from": { type: "string" }, json: { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [url = "", ...rest] = positionals;
    if (rest.length > 0 || !/^http:\/\//.test(url) || !URL.canParse(url)) throw new Error("Give one http: URL");
    return { url, item: itemFrom(values["fields-from"]), isJson: values.json ?? false };
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("usage", `${(error as Error).message.split(". ")[0]}. See npx dory --help.`);
  }
}

/** What an item is, from `dory.json` or from an OpenAPI document. */
function itemFrom(path: string | undefined): ItemSchema {
  if (path === undefined) return schemaOf(defaultFields) as ItemSchema;
  const document = readJson(path);
  if (Array.isArray(document.fields)) return schemaOf(parseFields(document.fields)) as ItemSchema;
  const schema = document.components?.schemas?.NewItem;
  if (schema) return schema;
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

async function reach(url: string): Promise<void> {
  await fetch(new URL("/health", url)).catch(() => {
    throw new Fault("unreachable", `Nothing answers at ${url}. Start the backend, or mend the URL.`);
  });
}

function indent(text: string): string {
  return text
    .split("\n")
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join("\n");
}
