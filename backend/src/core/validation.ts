import type { StandardSchemaV1 } from "@standard-schema/spec";
import { createProblem, type Fault, maxErrors, Problem } from "./problem.ts";

/** Validates a value with a schema of any library that supports Standard Schema. */
export async function validate<T>(schema: StandardSchemaV1<unknown, T>, value: unknown): Promise<T> {
  const result = await schema["~standard"].validate(value);
  if (result.issues) throw invalidInput(result.issues);
  return result.value;
}

/** The problem of input that a schema refuses: a body is a 422, any other part of a request a 400. */
export function invalidInput(issues: readonly Issue[], part = "body"): Problem {
  const [first] = issues;
  if (first?.code === "invalid_query") return invalidQuery([first]);
  if (first?.code === "bad_request") return new Problem("bad_request", `${readSteps(first)[0]} ${first.message}.`);
  if (part.startsWith("query")) return invalidQuery(issues);
  const problem = invalidItem(issues);
  return part === "body" ? problem : createProblem(400, problem.message, problem.more);
}

function invalidQuery(issues: readonly Issue[]): Problem {
  const errors = issues.slice(0, maxErrors + 1).map((issue) => {
    return { parameter: String(readSteps(issue)[0] ?? ""), detail: `${issue.message}` };
  });
  const [first] = errors;
  const name = first?.parameter ? `The query parameter "${first.parameter}"` : "The query";
  return new Problem("invalid_query", `${name} ${first?.detail}.`, { errors });
}

/** The problem of an invalid body. Only the first of several faults at one pointer is reported. */
export function invalidItem(issues: readonly Issue[]): Problem {
  const faults = new Map<string, Issue>();
  for (const issue of issues) {
    const pointer = toPointer(issue);
    if (!faults.has(pointer)) faults.set(pointer, issue);
    if (faults.size > maxErrors) break;
  }
  const errors = [...faults].map(([pointer, { message }]) => ({ pointer, detail: message ?? "is not valid" }));
  const [first] = faults.values();
  return new Problem("invalid_item", `${readSteps(first).join(".") || "The body"} ${first?.message}`, { errors });
}

/** A fault as validators report it: Standard Schema and Zod, joi (`details`), Ajv (`validation`). */
interface Issue {
  message?: string | undefined;
  path?: readonly unknown[] | undefined;
  instancePath?: string;
  code?: string | undefined;
}

/** The faults that an error of any validator lists. */
export function readFaults(error: object): Fault[] {
  const { issues, details, validation, data, cause } = error as Record<string, unknown>;
  const lists = [issues, details, validation, (data as WithIssues)?.issues, (cause as WithIssues)?.issues];
  const found = lists.find((list) => Array.isArray(list) && list.length > 0) as Issue[] | undefined;
  const some = (found ?? []).slice(0, maxErrors + 1);
  return some.map((issue) => ({ pointer: toPointer(issue), detail: issue.message ?? "is not valid" }));
}

type WithIssues = { issues?: unknown } | undefined;

function readSteps({ path, instancePath = "" }: Issue = {}): unknown[] {
  const steps = path ?? instancePath.split("/").slice(1);
  return steps.map((step) => (typeof step === "object" && step ? (step as { key: unknown }).key : step));
}

/** RFC 6901, section 6: a JSON pointer in a URI fragment. */
function toPointer(issue: Issue): string {
  const escapeStep = (step: unknown) =>
    encodeURIComponent(String(step).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
  return ["#", ...readSteps(issue).map(escapeStep)].join("/");
}
