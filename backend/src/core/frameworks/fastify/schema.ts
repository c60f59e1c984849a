import { AjvCompiler } from "@fastify/ajv-compiler";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyPluginOptions,
  FastifySchemaCompiler,
  FastifySerializerCompiler,
  FastifyTypeProvider,
  RawServerDefault,
  RouteOptions,
} from "fastify";
import { createProblem, invalidInput, invalidItem } from "../../problem.ts";

/** What a route declares with a Standard Schema has the type of the schema's output. */
export interface StandardSchemaTypeProvider extends FastifyTypeProvider {
  validator: this["schema"] extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<this["schema"]> : unknown;
  serializer: this["schema"] extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<this["schema"]> : unknown;
}

/** A plugin whose routes may have Standard Schemas. */
export type FastifyPluginAsyncStandard<Options extends FastifyPluginOptions = Record<never, never>> =
  FastifyPluginAsync<Options, RawServerDefault, StandardSchemaTypeProvider>;

/** @deprecated Its name in projects of 0.1.0. */
export type Plugin<Options extends FastifyPluginOptions = Record<never, never>> = FastifyPluginAsyncStandard<Options>;

/** An `onRoute` hook: a Standard Schema validates itself, also an answer, unless the owner sets other compilers. */
export function standardSchema(this: FastifyInstance, route: RouteOptions): void {
  const { body, querystring, query, params, headers, response } = (route.schema ?? {}) as Record<string, unknown>;
  if ([body, querystring, query, params, headers].some(hasStandard))
    route.validatorCompiler ??= this.validatorCompiler ?? createCompiler(this);
  if (Object.values(response ?? {}).some(hasStandard))
    route.serializerCompiler ??= this.serializerCompiler ?? serializer;
}

/** Compilers that the owner sets for the app are not for the routes of this plugin. */
export function keepCompilers(app: FastifyInstance): void {
  app.setValidatorCompiler(createCompiler(app));
  app.setSerializerCompiler(() => JSON.stringify);
}

export function isStandard(schema: unknown): schema is StandardSchemaV1 {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;
}

/** A route may have a schema for each media type. */
function hasStandard(schema: unknown): boolean {
  if (isStandard(schema)) return true;
  const { content } = (schema ?? {}) as { content?: Record<string, { schema?: unknown }> };
  return Object.values(content ?? {}).some((one) => isStandard(one.schema));
}

type BuildCompiler = (schemas: object, ajv: object) => FastifySchemaCompiler<unknown>;

const buildAjv = AjvCompiler() as BuildCompiler;

/** Compiles Standard Schemas, and with Fastify's Ajv the JSON Schemas beside them. */
function createCompiler(app: FastifyInstance): FastifySchemaCompiler<unknown> {
  return (part) => {
    const { schema, httpPart } = part;
    if (isStandard(schema)) return standardValidator(schema, httpPart);
    return buildAjv(app.getSchemas(), { customOptions: {} })({
      ...part,
      schema: httpPart === "headers" ? inLowerCase(schema) : schema,
    });
  };
}

function standardValidator(schema: StandardSchemaV1, httpPart = "") {
  return (value: unknown) => {
    const result = schema["~standard"].validate(value);
    if (result instanceof Promise)
      throw new Error("Fastify drops what an async schema returns: call validate() in a preHandler hook.");
    if (!result.issues) return result;
    const problem = invalidInput(result.issues);
    const isKnown = httpPart === "body" || problem.status === 400;
    const error = isKnown ? problem : createProblem(400, problem.message, problem.more);
    // An error handler asks for `error.validation`.
    return { error: Object.assign(error, { validation: result.issues }) };
  };
}

/** An answer has what its schema returns: fields that are not in it are not sent. */
const serializer: FastifySerializerCompiler<unknown> = ({ schema }) => {
  if (!isStandard(schema)) return JSON.stringify;
  return (value) => {
    const result = schema["~standard"].validate(value);
    if (result instanceof Promise) throw new Error("The schema of an answer must not be async.");
    if (result.issues) throw new Error(`An answer does not match its schema: ${invalidItem(result.issues).message}`);
    return JSON.stringify(result.value);
  };
};

/** Fastify does this only for its own compiler: Node's header names are in lower case. */
function inLowerCase(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === "required" && Array.isArray(value)) return value.map((name) => String(name).toLowerCase());
    if (key !== "properties") return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toLowerCase(), one]));
  });
}
