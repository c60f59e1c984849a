import { AjvCompiler, type ValidatorFactory } from "@fastify/ajv-compiler";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifySchemaCompiler,
  FastifyServerOptions,
  FastifyTypeProvider,
  RawServerDefault,
  RouteOptions,
} from "fastify";
import { problemOf } from "../../problem.ts";
import { invalidItem } from "../../validation.ts";

/** A plugin with routes. In a route with a Standard Schema for its body, `request.body` has the type of its output. */
export type Plugin<Options extends object = object> = FastifyPluginAsync<
  Options,
  RawServerDefault,
  StandardSchemaTypes
>;

interface StandardSchemaTypes extends FastifyTypeProvider {
  validator: this["schema"] extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<this["schema"]> : unknown;
}

type Build = (schemas: object, ajv: FastifyServerOptions["ajv"]) => FastifySchemaCompiler<unknown>;

const buildAjv = AjvCompiler() as Build;

/** Fastify's Ajv, but a body stays unchanged: nothing is converted or removed. */
const build: Build = (schemas, ajv) => (part) => {
  if (isStandard(part.schema)) return standardValidator(part.schema, part.httpPart);
  const asSent = part.httpPart === "body" && { coerceTypes: false, removeAdditional: false };
  const customOptions = { ...asSent, ...ajv?.customOptions };
  const schema = part.httpPart === "headers" ? inLowerCase(part.schema as HeadersSchema) : part.schema;
  return buildAjv(schemas, { ...ajv, customOptions } as typeof ajv)({ ...part, schema });
};

export const buildValidator = build as ValidatorFactory;

/** An `onRoute` hook: a Standard Schema validates itself, even if another validator was set for the app. */
export function standardSchema(this: FastifyInstance, route: RouteOptions): void {
  if (isStandard(route.schema?.body)) route.validatorCompiler ??= (part) => build(this.getSchemas(), {})(part);
}

export function isStandard(schema: unknown): schema is StandardSchemaV1 {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;
}

function standardValidator(schema: StandardSchemaV1, httpPart = "") {
  return (value: unknown) => {
    const result = schema["~standard"].validate(value);
    if (result instanceof Promise)
      throw new Error("Fastify drops what an async schema returns: call validate() in a preHandler hook.");
    if (!result.issues) return result;
    const problem = invalidItem(result.issues);
    return { error: httpPart === "body" ? problem : problemOf(400, problem.message, problem.more) };
  };
}

interface HeadersSchema {
  properties?: object;
  required?: string[];
}

/** Fastify does this too if no validator is set: Node's header names are in lower case. */
function inLowerCase(schema: HeadersSchema): object {
  const { properties = {}, required = [] } = schema;
  const entries = Object.entries(properties).map(([name, one]) => [name.toLowerCase(), one]);
  return { ...schema, properties: Object.fromEntries(entries), required: required.map((name) => name.toLowerCase()) };
}
