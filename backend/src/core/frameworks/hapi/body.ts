import type { Lifecycle, Request } from "@hapi/hapi";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { declaring } from "../../declares.ts";
import { hasBody, isJson, readJson } from "../../http/body.ts";
import type { HttpRequest } from "../../http/request.ts";
import { taking } from "../../http/routes.ts";
import { notFound } from "../../problem.ts";
import { validate } from "../../validation.ts";

/** `request.payload` is the JSON that was sent; hapi does not read a payload that is already set. */
export const jsonPayload: Lifecycle.Method = async (request, h) => {
  if (takesJson(request)) Object.assign(request, { payload: await readJson(request.raw.req) });
  return h.continue;
};

/** Without a route for the request, hapi would read the body before it answers 404. */
export const skipPayload: Lifecycle.Method = ({ raw }, h) => {
  const { match, method = "" } = raw.req as HttpRequest;
  if (match && hasBody(raw.req) && taking(match, method).length === 0) throw notFound();
  return h.continue;
};

/** For `validate.payload` and `response.status`: a schema of any library that supports Standard Schema. */
export function valid<T>(schema: StandardSchemaV1<unknown, T>) {
  return declaring({ body: schema }, (payload: unknown) => validate(schema, payload));
}

/** A route with its own `options.payload` is left to hapi: raw bytes, streams, forms, files. */
function takesJson({ method, raw, route }: Request): boolean {
  const { payload, validate } = route.settings;
  if (method === "get" || method === "head" || payload?.parse !== true || payload.output !== "data") return false;
  const { allow, multipart, override } = payload;
  if (override || (allow && !allow.includes("application/json"))) return false;
  if (allow || multipart) return /^application\/json\b/i.test(raw.req.headers["content-type"] ?? "");
  // hapi reads bodies of other types by itself, except where `valid` refuses them.
  if (!isJson(raw.req)) return typeof validate?.payload === "function";
  return hasBody(raw.req) || Boolean(validate?.payload);
}
