import { AjvCompiler, type ValidatorFactory } from "@fastify/ajv-compiler";
import { type SerializerFactory, SerializerSelector } from "@fastify/fast-json-stringify-compiler";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import type {
  FastifyInstance,
  FastifyPluginAsync,
  FastifyPluginOptions,
  FastifySchemaCompiler,
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

/** Has Standard Schemas validate themselves. Fastify's own compilers are for JSON Schemas, with the options of the app. */
export function standardSchema(app: FastifyInstance): void {
  app.setSchemaController({ compilersFactory: { buildValidator, buildSerializer } });
}

/** Compilers that the owner sets for the app are not for Standard Schemas in this plugin. */
export function keepCompilers(app: FastifyInstance): void {
  app.addHook("onRoute", (route) => {
    const { body, querystring, query, params, headers } = (route.schema ?? {}) as Record<string, unknown>;
    const parts = [body, querystring, query, params, headers].filter((part) => part !== undefined);
    if (parts.every(isStandard)) route.validatorCompiler ??= compileStandard;
    // @fastify/swagger knows JSON Schemas only. `openapi.json` describes these routes.
    route.config = Object.assign({ swaggerTransform: () => ({ schema: {} }) }, route.config);
  });
}

function isStandard(schema: unknown): schema is StandardSchemaV1 {
  return (typeof schema === "object" || typeof schema === "function") && schema !== null && "~standard" in schema;
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

const buildDefault = SerializerSelector();

const buildSerializer = ((schemas: object, options: object) => {
  const compile = buildDefault(schemas, options);
  return (answer: Parameters<typeof compile>[0]) =>
    isStandard(answer.schema) ? standardSerializer(answer.schema) : compile(answer);
}) as SerializerFactory;

/** An answer has what its schema returns: fields that are not in it are not sent. */
function standardSerializer(schema: StandardSchemaV1) {
  return (value: unknown) => {
    const result = schema["~standard"].validate(value);
    if (result instanceof Promise) throw new Error("The schema of an answer must not be async.");
    if (result.issues) throw new Error(`An answer does not match its schema: ${invalidItem(result.issues).message}`);
    return JSON.stringify(result.value);
  };
}
