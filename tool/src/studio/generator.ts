import { Fault } from "../fault.ts";
import { compareFiles } from "../new/compare.ts";
import type { AnyRequest } from "../new/services.ts";
import type { CompareRequest, Comparison, Options, PreviewRequest } from "./api.ts";
import { readJsonRequest, readQueryRequest } from "./ask.ts";
import { printHelp } from "./help.ts";
import {
  type Answer,
  type Asked,
  answerJson,
  answerProblem,
  answerText,
  HttpFault,
  readJson,
  refuseMethod,
  toProblem,
  weigh,
} from "./http.ts";
import { printOpenApi } from "./openapi.ts";
import { preview } from "./preview.ts";
import { type Download, type Format, formats, type Made, type Projects, readFormat } from "./projects.ts";

/** What everyone may ask: it only makes files in memory. */
export interface Generator {
  projects: Projects;
  options: Options;
  isPublic: boolean;
}

/** The routes of the generator. Undefined if the path is none of them. */
export async function generate(generator: Generator, asked: Asked): Promise<Answer | undefined> {
  const { pathname } = asked.url;
  const found = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
  if (found) return (found[asked.method] ?? refuse(found))(generator, asked);
  const [, file] = /^\/projects\/(.+)$/.exec(pathname) ?? [];
  if (file === undefined) return undefined;
  return asked.method === "GET" ? answerProject(generator, asked, decodePath(file)) : refuseMethod("GET, HEAD");
}

type Handler = (generator: Generator, asked: Asked) => Answer | Promise<Answer>;

const routes: Record<string, Record<string, Handler>> = {
  "/health": { GET: () => answerJson({ status: "ok" }) },
  "/options": { GET: ({ options }) => answerJson(options) },
  "/openapi.json": { GET: ({ options }) => answerJson(printOpenApi(options)) },
  "/projects": { POST: answerRequest },
  "/api/preview": { POST: answerPreview },
  "/api/compare": { POST: answerComparison },
};

function refuse(handlers: Record<string, Handler>): Handler {
  return () =>
    refuseMethod(
      Object.keys(handlers)
        .map((method) => (method === "GET" ? "GET, HEAD" : method))
        .join(", "),
    );
}

/** `GET /` for a program that is no browser. */
export function answerHelp(asked: Asked, options: Options): Answer {
  return answerText(printHelp(asked.url.origin, options));
}

function decodePath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new HttpFault({ status: 404, code: "not_found", detail: "The path is not encoded as UTF-8." });
  }
}

/** `GET /projects/NAME.FORMAT`. */
function answerProject({ projects }: Generator, asked: Asked, file: string): Answer {
  const [, name = "", extension = ""] = /^(.*)\.([^.]*)$/s.exec(file) ?? [];
  const query = new URLSearchParams(asked.url.search);
  if (extension === "diff") return answerDiff(projects, asked, name, query);
  const format = expectFormat(extension);
  const made = makeAsked(projects, () => readQueryRequest(query, name));
  return answerDownload(asked, projects.pack(made, format), formats[format].type, format === "json" ? undefined : file);
}

/** Makes it; a request that passes all checks may still be refused when its code is made. */
function makeAsked(projects: Projects, read: () => AnyRequest): Made {
  const request = read();
  try {
    return projects.make(request);
  } catch (error) {
    throw error instanceof Fault ? toProblem(error) : error;
  }
}

function expectFormat(extension: string): Format {
  try {
    return readFormat(extension);
  } catch (error) {
    throw error instanceof Fault ? toProblem(error, 404) : error;
  }
}

function answerDiff(projects: Projects, asked: Asked, name: string, query: URLSearchParams): Answer {
  const [against, ...more] = query.getAll("against");
  query.delete("against");
  if (against === undefined || more.length > 0) {
    const detail =
      "Name the other project once, as against=QUERY with its parameters percent-encoded: against=framework%3Dkoa.";
    throw new HttpFault({
      status: 400,
      code: "against",
      detail,
      parameter: "against",
      errors: [{ parameter: "against", detail }],
    });
  }
  const after = makeAsked(projects, () => readQueryRequest(query, name));
  const before = makeAsked(projects, () => readAgainst(against, name));
  return answerDownload(asked, projects.compare(before, after), "text/plain; charset=utf-8");
}

/** A fault in the other query is one of the parameter that holds it. */
function readAgainst(against: string, name: string): AnyRequest {
  const other = new URLSearchParams(against.replace(/^\?/, ""));
  try {
    return readQueryRequest(other, other.has("name") ? undefined : name);
  } catch (error) {
    if (!(error instanceof HttpFault)) throw error;
    const { code, detail, parameter } = JSON.parse(String(error.answer.body));
    const errors = [{ parameter: "against", detail: `In "${parameter}": ${detail}` }];
    throw new HttpFault({ status: 400, code, detail, parameter: "against", errors });
  }
}

/** `POST /projects`: the format is the one that is accepted. */
async function answerRequest({ projects }: Generator, asked: Asked): Promise<Answer> {
  const format = chooseFormat(asked);
  const value = await readJson<object>(asked);
  const made = makeAsked(projects, () => readJsonRequest(value));
  const file = format === "json" ? undefined : `${made.request.name}.${format}`;
  return answerDownload(asked, projects.pack(made, format), formats[format].type, file);
}

function chooseFormat({ headers }: Asked): Format {
  const order: Format[] = ["json", "tgz", "zip"];
  const weight = (format: Format) => weigh(headers.accept, formats[format].type);
  const [best] = order.toSorted((one, other) => weight(other) - weight(one));
  if (best && weight(best) > 0) return best;
  const detail = `Accept one of: ${order.map((format) => formats[format].type).join(", ")}.`;
  throw new HttpFault({ status: 406, code: "not_acceptable", detail });
}

/** RFC 9530 for the digest; the same bytes have the same tag. */
function answerDownload(asked: Asked, { bytes, hash }: Download, type: string, file?: string): Answer {
  const tag = `"${hash}"`;
  const headers = {
    "Content-Type": type,
    "Repr-Digest": `sha-256=:${hash}:`,
    ETag: tag,
    "Cache-Control": "no-cache",
    ...(file === undefined ? {} : { "Content-Disposition": `attachment; filename="${file}"` }),
  };
  const known = String(asked.headers["if-none-match"] ?? "").split(",");
  const isKnown = known.map((one) => one.trim()).some((one) => one === "*" || one.replace(/^W\//, "") === tag);
  if (isKnown && asked.method === "GET") return { status: 304, headers, body: "" };
  return { status: 200, headers, body: bytes };
}

async function answerPreview({ projects, isPublic }: Generator, asked: Asked): Promise<Answer> {
  const { query } = await readJson<Partial<PreviewRequest>>(asked);
  return answerJson(preview(projects, expectText("query", query), isPublic));
}

async function answerComparison({ projects }: Generator, asked: Asked): Promise<Answer> {
  const body = await readJson<Partial<CompareRequest>>(asked);
  const after = makeAsked(projects, () => readQueryRequest(new URLSearchParams(expectText("query", body.query))));
  const before = makeAsked(projects, () => readAgainst(expectText("against", body.against), after.request.name));
  const compared: Comparison = {
    before: before.figures,
    after: after.figures,
    files: compareFiles(before.files, after.files),
  };
  return answerJson(compared);
}

export function expectText(parameter: string, value: unknown): string {
  if (typeof value === "string") return value;
  const detail = `"${parameter}" is missing, or is not a text.`;
  throw new HttpFault({ status: 400, code: "request", detail, parameter });
}

export const notFound = () =>
  answerProblem({
    status: 404,
    code: "not_found",
    detail: "There is nothing at this address. GET / explains what there is.",
  });
