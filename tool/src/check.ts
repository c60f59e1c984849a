import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { credentials, tokens } from "../../backend/kit/suite/auth/tokens.ts";
import { isPath, type OpenApi, resourcesIn } from "../../backend/kit/suite/document.ts";
import { findFeatures } from "../../backend/kit/suite/features.ts";
import { defaults } from "../../backend/kit/suite/suite.ts";
import { type EndedCheck, type Finding, listChecks, recordChecks, runChecks } from "./checks.ts";
import { Fault } from "./fault.ts";
import { explainFailure, fetchText } from "./fetch-text.ts";
import { mask } from "./mask.ts";
import { printOpenApi } from "./new/print/openapi.ts";
import { type Feature, features, readRequest, sources } from "./new/request.ts";
import { secretsVariable } from "./new/webhooks.ts";

export interface CheckRequest {
  url: string;
  /** The path of an `openapi.json`, or of the `dory.json` next to it; without it, a backend with the default items. */
  openapi?: string;
}

/** What the checks of a backend found. */
export interface Checked {
  /** Whether all passed that could run, and at least one did. */
  isOk: boolean;
  passed: number;
  findings: Finding[];
}

/** Is told what happens while checks run. */
export interface CheckWatcher {
  /** In the order of the checks. */
  onFinding?(finding: Finding, done: number, all: number): void;
  /** The names of all checks, before the first runs. */
  onChecks?(names: string[]): void;
  /** Each check as it ends, with what it sent and received. */
  onEnd?(ended: EndedCheck): void;
}

/** Checks a running backend against the contract. Tokens and secrets are variables of the environment. */
export async function checkBackend(
  { url, openapi }: CheckRequest,
  { onFinding, onChecks, onEnd }: CheckWatcher,
): Promise<Checked> {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url))
    throw new Fault("usage", "Give one http: or https: URL. See dory check --help.");
  const given = openapi === undefined ? undefined : readDocument(openapi);
  const found = await reach(url, given ?? createDefaultDocument([]));
  const checks = listChecks(given ?? createDefaultDocument(found), found);
  onChecks?.(checks.map(({ name }) => name));
  const recorded = onEnd ? recordChecks(checks, (ended) => onEnd(maskEnded(ended))) : checks;
  const findings: Finding[] = [];
  for await (const { fault, ...finding } of runChecks(recorded, { ...defaults, url })) {
    findings.push(fault === undefined ? finding : { ...finding, fault: maskTokens(fault) });
    onFinding?.(findings.at(-1) as Finding, findings.length, checks.length);
  }
  const passed = findings.filter(({ fault, skipped }) => fault === undefined && skipped === undefined).length;
  return { isOk: passed > 0 && findings.every(({ fault }) => fault === undefined), passed, findings };
}

/** An OpenAPI document, or the one in the folder of a `dory.json`. */
function readDocument(path: string): OpenApi {
  const neighbour = join(dirname(path), "openapi.json");
  const document = readJson(path) as Partial<OpenApi & { framework: unknown; services: object }> | null;
  if (typeof document?.paths === "object") return expectPaths(path, document as OpenApi);
  if (document?.framework !== undefined && existsSync(neighbour)) return readDocument(neighbour);
  const [service] = Object.keys(document?.services ?? {});
  if (service !== undefined)
    throw new Fault(
      "openapi",
      `${path} lists several services. Name the openapi.json of one: ${service}/openapi.json.`,
    );
  throw new Fault("openapi", `${path} is not an OpenAPI document: it has no paths. Name the project's openapi.json.`);
}

function expectPaths(file: string, document: OpenApi): OpenApi {
  const other = Object.keys(document.paths ?? {}).find((path) => !isPath(path));
  if (other === undefined) return document;
  throw new Fault("openapi", `${file} lists ${JSON.stringify(other)}. Paths begin with one slash, like /items.`);
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
  const { status } = await fetchText(new URL(url).origin + path, { headers }, { mostBytes: 1 }).catch((error) => {
    throw new Fault(
      "unreachable",
      `Nothing answers at ${url} (${explainFailure(error)}). Start the backend, or correct the URL.`,
    );
  });
  return status;
}

function maskEnded({ reason, exchanges, ...ended }: EndedCheck): EndedCheck {
  return {
    ...ended,
    reason: reason === null ? null : maskTokens(reason),
    exchanges: exchanges.map(({ request, answer }) => ({
      request: maskTokens(request),
      answer: answer === null ? null : maskTokens(answer),
    })),
  };
}

function maskTokens(fault: string): string {
  const text = fault.slice(0, 10_000);
  const secrets = sources.flatMap((source) => process.env[secretsVariable(source)]?.split(",") ?? []);
  return mask(text, process.env["API_TOKENS"] === undefined ? secrets : [...tokens, ...secrets]);
}
