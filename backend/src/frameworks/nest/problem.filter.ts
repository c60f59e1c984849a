import { type ArgumentsHost, Catch, type ExceptionFilter, NotFoundException } from "@nestjs/common";
import type { Request, Response } from "express";
import { answerTo } from "../../failure.ts";
import { notFound } from "../../problem.ts";

/** Answers every thrown error. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  catch(error: unknown, host: ArgumentsHost) {
    const http = host.switchToHttp();
    const [req, res] = [http.getRequest<Request>(), http.getResponse<Response>()];
    const { status, headers, body } = answerTo(isRouteMissing(error, req) ? notFound() : error, req);
    if (res.headersSent) res.destroy();
    else res.status(status).set(headers).send(body);
  }
}

/** Whether Nest found no route. Its own message would repeat the request's URL. */
function isRouteMissing(error: unknown, { method, originalUrl }: Request): boolean {
  return error instanceof NotFoundException && error.message === `Cannot ${method} ${originalUrl}`;
}
