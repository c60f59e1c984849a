import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { RequestHandler } from "express";
import { readInto } from "../../http/body.ts";
import { validate } from "../../validation.ts";

/** `req.body` is the JSON that was sent to a route. Other bodies are refused when a handler reads it. */
export const jsonBody: RequestHandler = async (req, _res, next) => {
  await readInto(req, req);
  next();
};

/** Validates `req.body` with a schema. */
export function valid<T>(schema: StandardSchemaV1<unknown, T>): RequestHandler<object, unknown, T> {
  return async (req, _res, next) => {
    req.body = await validate(schema, req.body);
    next();
  };
}
