import type { StandardSchemaV1 } from "@standard-schema/spec";
import { ValidationError } from "elysia";
import { createProblem, invalidInput } from "../../problem.ts";

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
    const plain = issues?.map(({ code, message, path = [] }) => ({ code, message, path: path.map(toKey) }));
    super(type, validator, plain ? undefined : value, isUnsafe, plain as never);
    this.issues = plain;
    this.value = value;
  }
}

/** The problem for input that a schema refused, a Standard Schema or one of Elysia's `t`. */
export function toInputProblem(error: ValidationError): Error {
  const problem = invalidInput((error as InvalidInput).issues ?? error.all.flatMap(toIssues));
  // An answer that does not match its schema is not the client's fault.
  if (error.type === "response") return new Error(`An answer does not match its schema: ${problem.message}`);
  if (error.type === "body" || problem.status === 400) return problem;
  return createProblem(422, problem.message.replace(/^The body /, ""), problem.more);
}

function toIssues(one: ValidationError["all"][number]): Issue[] {
  if (!("path" in one)) return [];
  const custom = "schema" in one ? (one.schema as { error?: unknown }).error : undefined;
  return [{ message: typeof custom === "string" ? custom : one.message, path: one.path.split("/").slice(1) }];
}

const toKey = (segment: PropertyKey | StandardSchemaV1.PathSegment) =>
  typeof segment === "object" ? segment.key : segment;
