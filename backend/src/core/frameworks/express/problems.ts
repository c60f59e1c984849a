import type { ErrorRequestHandler } from "express";
import { answerTo } from "../../failure.ts";

/** Answers with the problem that an error stands for. */
export const sendProblem: ErrorRequestHandler = (error, req, res, _next) => {
  const { status, headers, body } = answerTo(error, req);
  // An answer that was partly sent is cut off: it must not look complete.
  if (res.headersSent) res.destroy();
  else res.status(status).set(headers).send(body);
};
