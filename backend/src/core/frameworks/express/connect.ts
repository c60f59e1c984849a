import type { IncomingMessage } from "node:http";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import express, {
  type ErrorRequestHandler,
  type Express,
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from "express";
import { adopt, entityTag, listRoutes } from "../../http/express.ts";
import { readInto, takeJson } from "../../http/request.ts";
import { logFailure, toAnswer } from "../../http/response.ts";
import { isForRoute, isValidated, markHandler } from "../../http/routes.ts";
import type { AppListener } from "../../http/server.ts";
import { notFound, validate } from "../../problem.ts";
import { guardRouter, isPublic, setCaller } from "./public.ts";

// `src/main.ts` imports this before the app: a router may be created when the file that contains it is imported.
adopt(express);

/** Express's app as a request listener of Node. */
export function toListener(app: Express): AppListener {
  // Express's default computes a tag for every answer, also for those that no client may store.
  if (app.get("etag") === "weak") app.set("etag", entityTag);

  const listener = (req: Request, res: Response) => {
    setCaller(req, res);
    return app(req, res, handleLast(req, res));
  };

  const routes = listRoutes(app.router);
  for (const route of routes) route.isPublic = route.handlers.includes(isPublic);
  guardRouter(app.router, routes);
  return {
    listener,
    routes,
    choice: "first",
  };
}

/** `req.body` is the JSON that was sent to a route. Bodies of other types are left to other middleware. */
export const jsonBody: RequestHandler = async (req, _res, next) => {
  if (isForRoute(req)) await readInto(req, req, isValidated(req));
  next();
};

/** Validates the JSON in `req.body` with a schema. */
export function valid<T>(schema: StandardSchemaV1<unknown, T>) {
  return markHandler(
    { body: schema },
    async (req: IncomingMessage & { body: T }, _res: unknown, next: NextFunction) => {
      // The path may have been another one when bodies were read.
      if (req.body === undefined) await readInto(req, req, true);
      req.body = await validate(schema, takeJson(req, req.body));
      next();
    },
  );
}

/** Answers with the problem that an error stands for. An answer that has begun is left to the default error handler. */
export const sendProblem: ErrorRequestHandler = (error, req, res, next) => {
  if (res.headersSent) return next(error);
  const { status, headers, body } = toAnswer(error, req, res.statusCode);
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
