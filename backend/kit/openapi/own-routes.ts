import { isDeepStrictEqual } from "node:util";
import { findTitle } from "../../src/core/problem.ts";
import { answerName, anyAnswer } from "./answers.ts";
import type { ByType } from "./declaration.ts";
import type { Declared, Parameter } from "./declared.ts";
import type { Schema } from "./example.ts";
import type { Operation, Shared } from "./feature.ts";
import { always, problems, words } from "./operations.ts";
import { refer } from "./references.ts";
import { listParameters, type Place } from "./templates.ts";

type Responses = Record<string, Response>;
type Response = { description?: string; headers?: Record<string, object>; content?: Record<string, object> };
type Body = { content?: Record<string, { schema?: Schema }> };

/** The operation of a route of the owner: what the route declares, and what the owner wrote about it. Nothing is guessed. */
export function describeRoute(place: Place, shared: Shared, declared?: Declared, known: Operation = {}): Operation {
  const { security: _, "x-body-limit": __, parameters: ___, requestBody, responses = {}, ...text } = known;
  const parameters = parametersAt(place, declared, known["parameters"] as Parameter[] | undefined);
  const body = declared?.body ? bodyWith(declared.body, requestBody as Body | undefined) : requestBody;
  return {
    operationId: `${place.method}${words(place.path)}`,
    summary: `${place.method.toUpperCase()} ${place.path}`,
    ...text,
    ...declared?.text,
    ...shared.security,
    ...(parameters.length > 0 && { parameters }),
    ...(body !== undefined && { requestBody: body }),
    responses: describeResponses(declared, responses as Responses, shared, listRefusals(place, shared, declared)),
  };
}

/** Those in the path and those that the route declares, with what the owner wrote about them; and the owner's others. */
function parametersAt({ path, patterns = {} }: Place, declared?: Declared, known: Parameter[] = []): Parameter[] {
  const { parameters = [] } = declared ?? {};
  const find = (all: Parameter[], one: Parameter) =>
    all.find(({ name, in: place }) => name === one.name && place === one.in);
  const inPath = listParameters(path).map((name): Parameter => {
    const one = { name, in: "path", required: true, schema: { type: "string" } };
    const pattern = patterns[name];
    const schema = (find(parameters, one) ?? find(known, one))?.schema ?? one.schema;
    return { ...one, schema: pattern ? { ...schema, pattern } : schema };
  });
  const seen = [...inPath, ...parameters.filter((one) => one.in !== "path")];
  const isQueryDeclared = parameters.some((one) => one.in === "query");
  const others = known.filter(
    (one) => !find(seen, one) && one.in !== "path" && !(isQueryDeclared && one.in === "query"),
  );
  return [...seen.map((one) => ({ ...find(known, one), ...one })), ...others];
}

function bodyWith({ content, isOptional = false }: NonNullable<Declared["body"]>, known: Body = {}): object {
  const declared = Object.entries(content).map(([type, schema]) => {
    const before = known.content?.[type];
    return [type, { ...before, ...((isKnown(schema) || !before) && { schema }) }];
  });
  const made = Object.fromEntries(declared);
  return { ...known, required: !isOptional, content: { ...made, ...known.content, ...made } };
}

const isKnown = (schema: Schema) => Object.keys(schema).length > 0;

/** The statuses of the problems that the server around a route answers, or the check of its body. */
function listRefusals({ path }: Place, { refusals }: Shared, declared?: Declared): number[] {
  const ofBody = declared?.body ? [413, 415, declared.body.refusal] : [];
  const ofParameters = declared?.parameterRefusal ?? [];
  return [...always, ...refusals, ...(listParameters(path).length > 0 ? [404] : []), ...ofBody].concat(ofParameters);
}

/** An answer that the owner did not declare and did not write may be anything. */
function describeResponses(
  { answers = {}, content = {} }: Partial<Declared> = {},
  known: Responses,
  shared: Shared,
  refusals: number[],
): Responses {
  const isDeclared = Object.keys(answers).length > 0;
  const written = Object.entries(known).filter(
    ([status, one]) =>
      !isGenerated(status, one, shared) && !(isDeclared && status.startsWith("2") && !(status in answers)),
  );
  const own: Responses = Object.fromEntries(written);
  for (const [status, schema] of Object.entries(answers))
    own[status] = describeAnswer(status, { schema, byType: content[status] }, shared, own[status]);
  const hasSuccess = Object.keys(own).some((status) => /^[123]/.test(status));
  const others = hasSuccess ? {} : { default: refer("responses", anyAnswer) };
  return { ...problems(refusals), ...others, ...own } as Responses;
}

/** Whether a response was not written by the owner: it may no longer be true. */
function isGenerated(status: string, response: Response, { possible }: Shared): boolean {
  const isOfStatus = isDeepStrictEqual(response, refer("responses", answerName(Number(status))));
  if (isOfStatus) return !possible.includes(Number(status));
  // Earlier versions described every success as the last of these.
  const others = [refer("responses", anyAnswer), refer("responses", "Problem"), { description: "Success" }];
  return others.some((one) => isDeepStrictEqual(response, one)) || isOfSchema(status, response);
}

/** Whether a response was made from a schema that the route declared, and the owner added nothing to it. */
function isOfSchema(status: string, { description, headers, content = {}, ...more }: Response): boolean {
  const isRef = (header: object) => "$ref" in header;
  const isPlain = (media: object) => Object.keys(media).every((name) => name === "schema");
  return (
    description === titleFor(status) &&
    headers !== undefined &&
    Object.values(headers).every(isRef) &&
    Object.values(content).every(isPlain) &&
    Object.keys(more).length === 0
  );
}

const titleFor = (status: string) => (/^\d+$/.test(status) ? findTitle(Number(status)) : "Success");

const problemType = "application/problem+json";

/** Every failure is a problem, with the members that its handler sends. */
function describeFailure(schema: Schema, known: Response["content"] = {}): Response["content"] {
  const { additionalProperties: _, ...members } = schema as Record<string, unknown>;
  const problem = refer("schemas", "Problem");
  const hasMembers = isKnown(members as Schema) && schema.type !== "string";
  const made = hasMembers ? { allOf: [problem, members] } : problem;
  return { [problemType]: { ...known[problemType], schema: made } };
}

interface Answer {
  schema: Schema;
  byType: ByType<Schema> | undefined;
}

function describeAnswer(
  status: string,
  { schema, byType }: Answer,
  { headers }: Shared,
  known: Response = {},
): Response {
  const { description = titleFor(status), content, ...rest } = known;
  if (/^[45]/.test(status))
    return { description, headers, ...rest, content: describeFailure(schema, content) } as Response;
  if (["204", "205", "304"].includes(status)) return { description, headers, ...rest } as Response;
  const isDeclared = isKnown(schema) || byType !== undefined;
  const type = isKnown(schema) && schema.type !== "string" ? "application/json" : "*/*";
  const made = Object.entries(byType ?? { [type]: schema }).map(([type, one]) => {
    return [type, { ...content?.[type], ...(isKnown(one) && { schema: one }) }];
  });
  const all = isDeclared || !content ? Object.fromEntries(made) : content;
  return { description, headers, ...rest, content: all } as Response;
}
