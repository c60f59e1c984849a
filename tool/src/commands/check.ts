import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { credentials, tokens } from "../../../backend/kit/suite/auth/tokens.ts";
import { type OpenApi, resourcesIn } from "../../../backend/kit/suite/document.ts";
import { findFeatures } from "../../../backend/kit/suite/features.ts";
import { defaults } from "../../../backend/kit/suite/suite.ts";
import { type Finding, listChecks, runChecks } from "../checks.ts";
import { Fault } from "../fault.ts";
import { explainFailure, fetchText } from "../fetch-text.ts";
import { readFlags } from "../flags.ts";
import { mask } from "../mask.ts";
import { printOpenApi } from "../new/print/openapi.ts";
import { type Feature, features, readRequest, sources } from "../new/request.ts";
import { secretsVariable } from "../new/webhooks.ts";
import { print, printJson } from "../output.ts";
import { checkUsage } from "../usage/check.ts";

interface CheckInput {
  url: string;
  document: OpenApi | undefined;
  isJson: boolean;
}

/** Checks a running backend against the contract. */
export async function checkCommand(args: string[]): Promise<number> {
  const { url, document: given, isJson } = readInput(args);
  const found = await reach(url, given ?? createDefaultDocument([]));
  const checks = listChecks(given ?? createDefaultDocument(found), found);
  const findings: Finding[] = [];
  const progress = showProgress(() => `${findings.length} of ${checks.length} checks`);
  for await (const finding of runChecks(checks, { ...defaults, url })) {
    const { check, fault } = finding;
    findings.push(fault === undefined ? finding : { check, fault: maskTokens(fault) });
    if (fault !== undefined && !isJson) progress.print(`✗ ${check}\n${indent(maskTokens(fault))}`);
  }
  progress.end();
  const faults = findings.filter(({ fault }) => fault !== undefined).length;
  const skipped = findings.flatMap((finding) => finding.skipped ?? []);
  const passed = findings.length - faults - skipped.length;
  const isOk = faults === 0 && passed > 0;
  if (isJson) printJson({ ok: isOk, url, checks: findings });
  else print(`${passed} of ${findings.length} checks passed for ${url}${printReasons(skipped)}`);
  return isOk ? 0 : 1;
}

/** Why checks were skipped, each reason once. */
function printReasons(skipped: string[]): string {
  const reasons = [...new Set(skipped)].map((reason) => `\n    ${reason}`);
  return skipped.length === 0 ? "" : `; ${skipped.length} were skipped:${reasons.join("")}`;
}

function readInput(args: string[]): CheckInput {
  const { values, positionals } = readFlags(checkUsage, args);
  const [url = ""] = positionals;
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new Fault("usage", "Give one http: or https: URL. See dory check --help.");
  const document = values.openapi === undefined ? undefined : readDocument(values.openapi);
  return { url, document, isJson: values.json ?? false };
}

/** An OpenAPI document, or the one in the folder of a `dory.json`. */
function readDocument(path: string): OpenApi {
  const neighbour = join(dirname(path), "openapi.json");
  const document = readJson(path) as Partial<OpenApi & { framework: unknown; services: object }> | null;
  if (typeof document?.paths === "object") return document as OpenApi;
  if (document?.framework !== undefined && existsSync(neighbour)) return readDocument(neighbour);
  const [service] = Object.keys(document?.services ?? {});
  if (service !== undefined)
    throw new Fault(
      "openapi",
      `${path} lists several services. Name the openapi.json of one: ${service}/openapi.json.`,
    );
  throw new Fault("openapi", `${path} is not an OpenAPI document: it has no paths. Name the project's openapi.json.`);
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "malformed";
    throw new Fault("openapi", `${path} cannot be read as JSON (${reason}).`);
  }
}

/** The document for a backend that has none. */
function createDefaultDocument(features: Feature[]): OpenApi {
  return JSON.parse(printOpenApi(readRequest({ name: "backend", framework: "hono", features })));
}

/** Checks that the backend answers; returns its features, with auth if it requires a token. */
async function reach(url: string, document: OpenApi): Promise<Feature[]> {
  const path = resourcesIn(document)[0]?.path ?? "/";
  const described = findFeatures(document);
  const demandsToken = (await fetchStatus(url, path, {})) === 401;
  const found = features.filter((one) => described.includes(one) || (demandsToken && one === "auth"));
  if (found.includes("auth")) await reachWithToken(url, path);
  if (found.includes("cors") && process.env["CORS_ORIGINS"] === undefined)
    throw new Fault("origins_missing", "Set CORS_ORIGINS to the origins that the backend was started with.");
  return found;
}

async function reachWithToken(url: string, path: string): Promise<void> {
  if (process.env["API_TOKENS"] === undefined)
    throw new Fault(
      "token_missing",
      "The backend requires a token. Set API_TOKENS to one of its tokens, or better to two.",
    );
  if (
    !/^[!-~]+ [!-~]+$/.test(credentials["Authorization"] ?? "") ||
    (await fetchStatus(url, path, credentials)) === 401
  )
    throw new Fault("token_refused", "The backend refuses the first token in API_TOKENS. Set one that it accepts.");
}

async function fetchStatus(url: string, path: string, headers: Record<string, string>): Promise<number> {
  const { status } = await fetchText(new URL(path, url), { headers }, { mostBytes: 1 }).catch((error) => {
    throw new Fault(
      "unreachable",
      `Nothing answers at ${url} (${explainFailure(error)}). Start the backend, or correct the URL.`,
    );
  });
  return status;
}

/** Shows progress on stderr: on a terminal every two seconds, in a log every ten. */
function showProgress(text: () => string) {
  const { stderr } = process;
  const clear = stderr.isTTY ? "\r\x1b[K" : "";
  let isShown = false;
  const show = () => {
    isShown = true;
    stderr.write(stderr.isTTY ? clear + text() : `${text()}\n`);
  };
  const timer = setInterval(show, stderr.isTTY ? 2000 : 10_000);
  return {
    print(line: string): void {
      if (isShown) stderr.write(clear);
      print(line);
    },
    end(): void {
      clearInterval(timer);
      if (isShown) stderr.write(clear);
    },
  };
}

function maskTokens(fault: string): string {
  const text = fault.slice(0, 10_000);
  const secrets = sources.flatMap((source) => process.env[secretsVariable(source)]?.split(",") ?? []);
  return mask(text, process.env["API_TOKENS"] === undefined ? secrets : [...tokens, ...secrets]);
}

function indent(text: string): string {
  return text
    .split("\n")
    .slice(0, 12)
    .map((line) => `    ${line.slice(0, 300)}`)
    .join("\n");
}
