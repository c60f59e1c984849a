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
import { Problem, problemOf } from "../../problem.ts";
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

/** Fastify compiles JSON Schema only. This lets it accept a Standard Schema, too, wherever a route has a schema. */
export const buildValidator = build as ValidatorFactory;

/** An `onRoute` hook: a Standard Schema validates itself, and answers stay unchanged, unless the owner sets other compilers. */
export function standardSchema(this: FastifyInstance, route: RouteOptions): void {
  const { body, response = {} } = route.schema ?? {};
  if (isStandard(body))
    route.validatorCompiler ??= this.validatorCompiler ?? ((part) => build(this.getSchemas(), {})(part));
  if (Object.values(response as object).some(isStandard))
    route.serializerCompiler ??= this.serializerCompiler ?? (() => JSON.stringify);
}

/** Compilers that the owner sets for the app are not for the routes of this plugin. */
export function keepCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler((part) => build(app.getSchemas(), {})(part));
  app.setSerializerCompiler(() => JSON.stringify);
}

export function isStandard(schema: unknown): schema is StandardSchemaV1 {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;
}

function standardValidator(schema: StandardSchemaV1, httpPart = "") {
  return (value: unknown) => {
    const result = resultOf(schema, value);
    if ("error" in result) return result;
    if (result instanceof Promise)
      throw new Error("Fastify drops what an async schema returns: call validate() in a preHandler hook.");
    if (!result.issues) return result;
    const problem = invalidItem(result.issues);
    return { error: httpPart === "body" ? problem : problemOf(400, problem.message, problem.more) };
  };
}

/** Fastify takes a problem as a value; it does not catch one. */
function resultOf(schema: StandardSchemaV1, value: unknown) {
  try {
    return schema["~standard"].validate(value);
  } catch (error) {
    if (error instanceof Problem) return { error };
    throw error;
  }
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
