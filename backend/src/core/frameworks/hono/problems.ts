import type { Context } from "hono";
import type { ClientErrorStatusCode, ContentfulStatusCode, ServerErrorStatusCode } from "hono/utils/http-status";
import { toAnswer } from "../../http/response.ts";
import type { ProblemBody } from "../../problem.ts";
import { nodeRequest } from "./body.ts";

/** Answers with the problem that an error stands for. */
export function sendProblem(error: Error, c: Context): Response {
  const { status, headers, body } = toAnswer(error, nodeRequest(c));
  return c.body(body, status as ContentfulStatusCode, headers);
}

/** What every route may answer instead, for typed clients. */
export type Failures = Record<ClientErrorStatusCode | ServerErrorStatusCode, { json: ProblemBody }>;
