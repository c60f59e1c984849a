import type { StandardSchemaV1 } from "@standard-schema/spec";
import { Elysia, ValidationError } from "elysia";
import type { ServerRequest } from "srvx";
import { type HttpRequest, readJson, toNodeRequest } from "../../http/request.ts";
import { createProblem, invalidInput, nameProblem } from "../../problem.ts";
import { CreationHeaders, type Json, type Page, readCreation, validatePage } from "../../resource.ts";

/** Sets a larger or smaller body limit for routes: `app.use(bodyLimit).post("/import", …, { bodyLimit: 5_000_000 })`. */
export const bodyLimit = new Elysia({ name: "bodyLimit" }).macro({ bodyLimit: (_bytes: number) => ({}) });

/** Lets handlers take more or less time: `app.use(handlerTimeout).get("/report", …, { handlerTimeout: 60_000 })`. */
export const handlerTimeout = new Elysia({ name: "handlerTimeout" }).macro({
  handlerTimeout: (_milliseconds: number) => ({}),
});

/** Node's request, from the request in a route. */
export function nodeRequest(request: Request): HttpRequest {
  return ((request as ServerRequest).runtime?.node?.req ?? toNodeRequest(request)) as HttpRequest;
}

/** Unlike `"json"`, refuses a body of another type: `{ parse: onlyJson }`. */
export const onlyJson = ({ request }: { request: Request }) => readJson(nodeRequest(request));

/** The query of a list. A typed client has the type of its output. */
export const PageQuery: StandardSchemaV1<unknown, Partial<Page>> = {
  "~standard": {
    version: 1,
    vendor: "page",
    validate: (query) => validatePage(textsIn(query as Record<string, unknown>)),
  },
};

/**
 * Elysia reads a list in `1,2`, `[5]` and a repeated parameter, and an object in `{}`. Neither is a limit or a cursor,
 * also if it would be one as text.
 */
function textsIn(query: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(query);
  if (names.every((name) => typeof query[name] === "string")) return query;
  return Object.fromEntries(names.map((name) => [name, typeof query[name] === "string" ? query[name] : ""]));
}

/** Gives handlers the options of a creation, from its headers: `app.use(creation).post("/", …, { creation: true })`. */
export const creation = new Elysia({ name: "creation" }).macro("creation", {
  headers: CreationHeaders,
  resolve: ({ request }) => ({ creation: readCreation(nodeRequest(request)) }),
});

/** JSON text, which is sent as it is. For hooks that put an answer into another one, it is the value. */
export class JsonText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}

/** What a handler returns to answer with JSON text, which typed clients read as a value of the type. */
export const toJson = <T>(text: Json<T>) => new JsonText(text) as T;

type Issue = { code?: string | undefined; message: string; path: PropertyKey[] };

/**
 * Replaces Elysia's error, which writes the value into its message (a deeply nested one overflows the stack) and keeps
 * only the first issue of a Standard Schema.
 */
export class InvalidInput extends ValidationError {
  issues: Issue[] | undefined;

  constructor(
    type: string,
    validator: ConstructorParameters<typeof ValidationError>[1],
    value: unknown,
    isUnsafe?: boolean,
    issues?: readonly (StandardSchemaV1.Issue & { code?: string })[],
  ) {
    const plain = issues?.map(({ code, message, path = [] }) => ({ code, message, path: Array.from(path, toKey) }));
    super(type, validator, plain ? undefined : value, isUnsafe, plain as never);
    this.issues = plain;
    this.value = value;
  }
}

/** The problem for input that a schema refused, a Standard Schema or one of Elysia's `t`. */
export function toInputProblem(error: ValidationError): Error {
  const { message, code } = readOwnError(error);
  const issues: Issue[] = (error as InvalidInput).issues ?? error.all.flatMap(toIssues);
  // Elysia calls a function for the first fault only.
  if (issues[0] && message) issues[0].message = message;
  const problem = nameProblem(invalidInput(issues, error.type), code);
  // An answer that does not match its schema is not the client's fault.
  if (error.type === "response") return new Error(`An answer does not match its schema: ${problem.message}`);
  if (error.type === "body" || issues[0]?.code === "invalid_query") return problem;
  return nameProblem(createProblem(422, problem.message.replace(/^The body /, ""), problem.more), code);
}

/** What a function of the schema (`error: () => …`) has returned for a fault: a text, or what `validationDetail` makes. */
function readOwnError({ customError, issues }: ValidationError & { issues?: unknown }): {
  message?: string;
  code?: unknown;
} {
  if (issues) return {};
  if (typeof customError === "string") return { message: customError };
  const { message, code } = Object(customError) as { message?: unknown; code?: unknown };
  return { code, ...(typeof message === "string" && { message }) };
}

function toIssues(one: ValidationError["all"][number]): Issue[] {
  if (!("path" in one)) return [];
  const custom = "schema" in one ? (one.schema as { error?: unknown }).error : undefined;
  return [{ message: typeof custom === "string" ? custom : one.message, path: one.path.split("/").slice(1) }];
}

const toKey = (segment: PropertyKey | StandardSchemaV1.PathSegment) =>
  typeof segment === "object" ? segment.key : segment;
