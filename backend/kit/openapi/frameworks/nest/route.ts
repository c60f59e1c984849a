import { type Declaration, pickText, type Text } from "../../declaration.ts";
import { type Class, metadata, schemaOfClass } from "./dto.ts";

/** What the decorators and types of a controller's method declare. */
export function readRoute(definition: unknown): Declaration {
  const { controller, method } = definition as { controller: Class; method: string };
  return readMethod(controller, method);
}

function readMethod(controller: Class, method: string): Declaration {
  const taken = readParameters(controller, method);
  const body = taken.find(({ kind, field }) => kind === "body" && field === undefined);
  return {
    body: body && (body.schema ?? schemaOfClass(body.type) ?? {}),
    // Which fields the files are in is not seen: only their interceptor knows.
    bodyType: taken.some(({ kind }) => kind === "file") ? "multipart/form-data" : undefined,
    refusal: body?.schema ? 422 : undefined,
    query: together(taken.filter(({ kind }) => kind === "query")),
    params: together(taken.filter(({ kind }) => kind === "params")),
    answers: readAnswers(controller, method, taken),
    text: readText(controller, method),
    isHidden: isHidden(controller, method),
  };
}

/** As `@ApiOperation(…)` and `@ApiTags(…)` of `@nestjs/swagger` say. */
function readText(controller: Class, method: string): Text {
  const handler = controller.prototype[method] as object;
  const tags = [controller, handler].flatMap((one) => metadata<string[]>("swagger/apiUseTags", one) ?? []);
  return pickText({ ...(tags.length > 0 && { tags }), ...metadata<object>("swagger/apiOperation", handler) });
}

/** As `@ApiExcludeController()` and `@ApiExcludeEndpoint()` of `@nestjs/swagger` say. */
function isHidden(controller: Class, method: string): boolean {
  const [isExcluded] = metadata<boolean[]>("swagger/apiExcludeController", controller) ?? [];
  const { disable } =
    metadata<{ disable?: boolean }>("swagger/apiExcludeEndpoint", controller.prototype[method] as object) ?? {};
  return isExcluded === true || disable === true;
}

/** A parameter of a method: what is passed, as its decorator says, like `@Body()` or `@Query("page")`. */
interface Parameter {
  kind: string;
  /** The name of one field, if not all of them are passed. */
  field: string | undefined;
  schema: unknown;
  type: unknown;
}

/** Nest's numbers of the decorators that count here. */
const kinds: Record<string, string> = {
  1: "response",
  2: "response",
  3: "body",
  4: "query",
  5: "params",
  8: "file",
  9: "file",
};

function readParameters(controller: Class, method: string): Parameter[] {
  const types = metadata<unknown[]>("design:paramtypes", controller.prototype, method) ?? [];
  const decorated = metadata<Record<string, Decorated>>("__routeArguments__", controller, method) ?? {};
  return Object.entries(decorated).flatMap(([key, { index, data, schema }]) => {
    const kind = kinds[key.split(":")[0] ?? ""];
    return kind === undefined ? [] : [{ kind, field: data, schema, type: types[index] }];
  });
}

interface Decorated {
  index: number;
  data?: string;
  schema?: unknown;
}

/** One schema for the fields of a query or a path. */
function together(parameters: Parameter[]): unknown {
  const whole = parameters.find(({ field }) => field === undefined);
  if (whole) return whole.schema ?? schemaOfClass(whole.type);
  const fields = parameters.map(({ field, schema }) => [field, schema ?? { type: "string" }]);
  return fields.length > 0 ? { type: "object", properties: Object.fromEntries(fields) } : undefined;
}

/** The status of a success, and its schema. They are unknown if the method writes the answer itself. */
function readAnswers({ prototype }: Class, name: string, taken: Parameter[]): Declaration["answers"] {
  const method = prototype[name] as object;
  const isUnknown = ["__redirect__", "__renderTemplate__", "__sse__"].some(
    (key) => metadata(key, method) !== undefined,
  );
  if (isUnknown || taken.some(({ kind }) => kind === "response")) return undefined;
  const isPost = metadata("method", method) === 1;
  const returned = schemaOfClass(metadata("design:returntype", prototype, name)) ?? true;
  const { schema = returned } = metadata<{ schema?: unknown }>("class_serializer:options", method) ?? {};
  return { [metadata<number>("__httpCode__", method) ?? (isPost ? 201 : 200)]: schema };
}
