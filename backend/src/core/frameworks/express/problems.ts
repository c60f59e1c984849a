import type { ErrorRequestHandler, NextFunction, Request, Response } from "express";
import { logFailure, toAnswer } from "../../failure.ts";
import { notFound } from "../../problem.ts";

/** Answers with the problem that an error stands for. An answer that has begun is left to the default error handler. */
export const sendProblem: ErrorRequestHandler = (error, req, res, next) => {
  if (res.headersSent) return next(error);
  const { status, headers, body } = toAnswer(error, req);
  res.status(status).set(headers).send(body);
};

/** The default error handler, in place of Express's own: without an error, no route has matched. */
export function handleLast(req: Request, res: Response): NextFunction {
  return (error?: unknown) => {
    // As in Express, a handler that has begun to answer may call `next()`.
    if (error || !res.headersSent) sendProblem(error ?? notFound(), req, res, () => cutOff(error, req, res));
  };
}

/** What was sent must not look complete. */
function cutOff(error: unknown, req: Request, res: Response): void {
  logFailure(error, req);
  res.destroy();
}
