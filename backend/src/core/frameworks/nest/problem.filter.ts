import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from "@nestjs/common";
import type { Request, Response } from "express";
import { takeJson } from "../../http/body.ts";
import { toAnswer } from "../../http/response.ts";
import { notFound } from "../../problem.ts";
import { MissingJson } from "./body.ts";

/** Answers every thrown error. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost) {
    const http = host.switchToHttp();
    const [req, res] = [http.getRequest<Request>(), http.getResponse<Response>()];
    const { status, headers, body } = toAnswer(explain(error, req), req);
    if (res.headersSent) res.destroy();
    else res.status(status).set(headers).send(body);
  }
}

/** What Nest and its pipes cannot say about a request. */
function explain(error: unknown, req: Request): unknown {
  if (isRouteMissing(error, req)) return notFound();
  try {
    return error instanceof MissingJson ? takeJson(req, undefined) : error;
  } catch (problem) {
    return problem;
  }
}

/** Whether Nest found no route. Its own message would repeat the request's URL. */
function isRouteMissing(error: unknown, { method, originalUrl }: Request): boolean {
  return error instanceof NotFoundException && error.message === `Cannot ${method} ${originalUrl}`;
}
