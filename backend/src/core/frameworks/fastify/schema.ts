import { AjvCompiler, type ValidatorFactory } from "@fastify/ajv-compiler";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyPluginOptions,
  FastifySchemaCompiler,
  FastifySerializerCompiler,
  FastifyTypeProvider,
  RawServerDefault,
} from "fastify";
import { invalidInput, invalidItem } from "../../problem.ts";

/** What a route gets has the type of its schema's output; what it answers, that of its input, because the answer is validated, too. */
export interface StandardSchemaTypeProvider extends FastifyTypeProvider {
  validator: this["schema"] extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<this["schema"]> : unknown;
  serializer: this["schema"] extends StandardSchemaV1 ? StandardSchemaV1.InferInput<this["schema"]> : unknown;
}

/** A plugin whose routes may have Standard Schemas. */
export type FastifyPluginAsyncStandard<Options extends FastifyPluginOptions = Record<never, never>> =
  FastifyPluginAsync<Options, RawServerDefault, StandardSchemaTypeProvider>;

/** @deprecated Its name in projects of 0.1.0. */
export type Plugin<Options extends FastifyPluginOptions = Record<never, never>> = FastifyPluginAsyncStandard<Options>;

/** Has Standard Schemas validate themselves. Fastify's Ajv compiles JSON Schemas, with the `ajv` options of the app. */
export function standardSchema(app: FastifyInstance): void {
  app.setSchemaController({ compilersFactory: { buildValidator } });
  app.addHook("onRoute", function (route) {
    const answers = Object.values(route.schema?.response ?? {});
    if (answers.some(hasStandard)) route.serializerCompiler ??= this.serializerCompiler ?? serializer;
  });
}

/** Compilers that the owner sets for the app are not for Standard Schemas in this plugin. */
export function keepCompilers(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const { body, querystring, query, params, headers } = (route.schema ?? {}) as Record<string, unknown>;
    const parts = [body, querystring, query, params, headers].filter((part) => part !== undefined);
    if (parts.every(isStandard)) route.validatorCompiler ??= compileStandard;
  });
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

type Compile = FastifySchemaCompiler<unknown>;

const buildAjv = AjvCompiler() as (schemas: object, ajv: unknown) => Compile;

const buildValidator = ((schemas: object, ajv: unknown) => {
  let compile: Compile | undefined;
  return (part: Parameters<Compile>[0]) => {
    if (isStandard(part.schema)) return compileStandard(part);
    compile ??= buildAjv(schemas, ajv);
    return compile(part);
  };
}) as ValidatorFactory;

const compileStandard: Compile = ({ schema, httpPart }) => standardValidator(schema as StandardSchemaV1, httpPart);

function standardValidator(schema: StandardSchemaV1, httpPart = "") {
  return (value: unknown) => {
    const result = schema["~standard"].validate(value);
    if (result instanceof Promise)
      throw new Error("Fastify drops what an async schema returns: call validate() in a preHandler hook.");
    if (!result.issues) return result;
    const error = invalidInput(result.issues, httpPart);
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
