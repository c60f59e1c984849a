import type { IncomingMessage } from "node:http";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { NextFunction, RequestHandler } from "express";
import { markHandler } from "../../declares.ts";
import { readInto, takeJson } from "../../http/body.ts";
import { validate } from "../../validation.ts";

/** `req.body` is the JSON that was sent to a route. Bodies of other types are left to other middleware. */
export const jsonBody: RequestHandler = async (req, _res, next) => {
  await readInto(req, req);
  next();
};

/** Validates the JSON in `req.body` with a schema. */
export function valid<T>(schema: StandardSchemaV1<unknown, T>) {
  return markHandler(
    { body: schema },
    async (req: IncomingMessage & { body: T }, _res: unknown, next: NextFunction) => {
      req.body = await validate(schema, takeJson(req, req.body));
      next();
    },
  );
}
