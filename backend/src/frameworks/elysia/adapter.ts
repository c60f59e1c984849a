import { NotFoundError, ParseError, ValidationError } from "elysia";
import type { ElysiaAdapter } from "elysia/adapter";
import { WebStandardAdapter as web } from "elysia/adapter/web-standard";
import { FastResponse } from "srvx/node";
import { answerTo } from "../../failure.ts";
import { readJson } from "../../http/body.ts";
import { notFound } from "../../problem.ts";
import { InvalidInput, problemOfInput } from "./invalid.ts";
import { nodeRequest } from "./request.ts";

/**
 * Elysia on Node: `readJson` reads JSON, an error that no `onError` hook handles becomes a problem, and `app.stop()`
 * runs the `onStop` hooks. The strings become part of the code that Elysia generates for a route.
 */
export const node: ElysiaAdapter = {
  ...web,
  handler: { ...web.handler, mapCompactResponse },
  composeHandler: {
    ...web.composeHandler,
    inject: {
      readJson: (request: Request) => readJson(nodeRequest(request)),
      error: { ParseError, ValidationError: InvalidInput },
    },
    parser: { ...web.composeHandler.parser, json: () => "c.body=await readJson(c.request)\n" },
  },
  composeGeneralHandler: {
    ...web.composeGeneralHandler,
    error404: (hasEventHook, _, after) => web.composeGeneralHandler.error404(hasEventHook, true, after),
  },
  composeError: {
    ...web.composeError,
    inject: { answer },
    validationError: "return mapResponse(answer(error,context),set)",
    unknownError: "return mapResponse(answer(error,context),set)",
  },
  async stop(app) {
    for (const { fn } of app.event.stop ?? []) await fn(app);
  },
};

/** An object as JSON. A web `Response` would take more time than the rest of the answer. */
function mapCompactResponse(response: unknown, request?: Request): unknown {
  if (response?.constructor !== Object) return web.handler.mapCompactResponse(response, request);
  return new FastResponse(JSON.stringify(response), { headers: { "Content-Type": "application/json" } });
}

function answer(error: Error, { request }: { request: Request }): Response {
  const { status, headers, body } = answerTo(failureIn(error), nodeRequest(request));
  return new FastResponse(body, { status, headers });
}

function failureIn(error: Error): Error {
  if (error instanceof ValidationError) return problemOfInput(error);
  return error instanceof NotFoundError && error.message === "NOT_FOUND" ? notFound() : error;
}
