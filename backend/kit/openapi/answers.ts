import {
  bodyTooLarge,
  createProblem,
  expectationFailed,
  findTitle,
  headersTooLarge,
  invalidInput,
  invalidItem,
  isMissing,
  keyReused,
  malformedHttp,
  malformedJson,
  methodNotAllowed,
  notFound,
  notJson,
  type Problem,
  requestTimeout,
  unavailable,
  writeAnswer,
} from "../../src/core/problem.ts";
import { validatePage } from "../../src/core/resource.ts";
import type { Schema } from "./example.ts";
import { refer } from "./references.ts";
import { conflictsIn } from "./unique.ts";

/** The name of a status's answer in the components, like `BadRequest`. */
export const answerName = (status: number) => findTitle(status).replaceAll(/\W/g, "");

/** An example of each problem, with fields of these resources. */
export function problemsFor(resources: { jsonSchema: Schema }[]): Problem[] {
  const schemas = resources.map(({ jsonSchema }) => jsonSchema);
  const required = schemas.flatMap(({ required = [] }) => required);
  const [field = "name"] = [...required, ...schemas.flatMap(({ properties = {} }) => Object.keys(properties))];
  const { unread, refused, failed } = sameProblems;
  const invalid = invalidItem([{ path: [field], message: isMissing }]);
  return [...unread, ...conflictsIn(resources), ...refused, invalid, ...failed];
}

/** Those that are the same for all resources, in the order of the document. */
const sameProblems = {
  unread: [malformedJson(), invalidInput(validatePage({ limit: 0 }).issues ?? []), malformedHttp(), notFound()],
  refused: [requestTimeout(), bodyTooLarge(102_400), notJson(), expectationFailed()],
  failed: [keyReused(), headersTooLarge(), createProblem(500), unavailable()],
};

/** The answers to problems, by name: one for each status, with an example for each code. */
export function problemAnswers(problems: Problem[], headers: object): Record<string, object> {
  const statuses = [...new Set(problems.map(({ status }) => status))];
  const answers = statuses.map((status) => {
    const some = problems.filter((problem) => problem.status === status);
    return [answerName(status), describeAnswer(findTitle(status), some, headers)];
  });
  return { ...Object.fromEntries(answers), Problem: otherwise(headers) };
}

/** The answer for all other statuses. */
function otherwise(headers: object): object {
  return describeAnswer("Any other problem", [notFound(), methodNotAllowed("GET, HEAD, OPTIONS")], headers);
}

/** The name of the answer of a route that declares none. */
export const anyAnswer = "AnyAnswer";

/** Any answer, which may be a problem. */
export const anyAnswers = {
  [anyAnswer]: {
    description: "Any answer: the route does not declare its answers",
    content: { "application/problem+json": { schema: refer("schemas", "Problem") }, "*/*": {} },
  },
};

function describeAnswer(description: string, problems: Problem[], headers: object): object {
  const own = problems.flatMap(({ more }) => Object.keys(more.headers ?? {}));
  const examples = problems.map((problem) => [problem.code, { value: createBody(problem) }]);
  return {
    description,
    headers: { ...headers, ...Object.fromEntries(own.map((name) => [name, { schema: { type: "string" } }])) },
    content: {
      "application/problem+json": { schema: refer("schemas", "Problem"), examples: Object.fromEntries(examples) },
    },
  };
}

function createBody(problem: Problem): object {
  return JSON.parse(writeAnswer(problem, "b2f7c5a0-6c1d-4f0e-9a55-3c1f6d0e8b42").body);
}

/** RFC 9457, with the members that every problem has here. */
export const problemSchema = {
  description: "RFC 9457",
  type: "object",
  properties: {
    type: { type: "string", enum: ["about:blank"] },
    title: { type: "string" },
    status: { type: "integer" },
    code: { type: "string", description: "Stable, for programs" },
    detail: { type: "string", description: "For people" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: { pointer: { type: "string" }, parameter: { type: "string" }, detail: { type: "string" } },
        required: ["detail"],
      },
    },
    requestId: { type: "string" },
  },
  required: ["type", "title", "status", "code", "detail", "requestId"],
};
