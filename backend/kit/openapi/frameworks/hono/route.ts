import { registerHooks } from "node:module";
import { markHandler } from "../../../../src/core/http/routes.ts";
import { type Declaration, declaredBy, pickText } from "../../declaration.ts";

/** What the validators of a route declare, and `describeRoute` of `hono-openapi`. */
export function readRoute(handlers: unknown): Declaration {
  const specs = (handlers as object[]).map(findSpec);
  const { answers, ...marked } = declaredBy(handlers);
  const described = specs.flatMap(({ responses = {} }) => Object.entries(responses)).map(readResponse);
  return {
    ...marked,
    answers: { ...Object.fromEntries(described), ...answers },
    text: Object.assign({}, ...specs.map(pickText)),
    isHidden: specs.some(({ hide }) => hide === true),
  };
}

interface Spec {
  hide?: unknown;
  responses?: Record<string, { content?: Record<string, { schema?: object }> }>;
}

/** `hono-openapi` keeps it at a symbol of its own. */
function findSpec(handler: object): Spec {
  const symbol = Object.getOwnPropertySymbols(handler).find(({ description }) => description === "openapi");
  const { spec = {} } = symbol ? ((handler as Record<symbol, { spec?: Spec }>)[symbol] ?? {}) : {};
  return spec;
}

/** A schema in `resolver(…)` cannot be read at once. */
function readResponse([status, { content = {} }]: [string, NonNullable<Spec["responses"]>[string]]) {
  const [{ schema } = {}] = Object.values(content);
  return [status, schema && "toOpenAPISchema" in schema ? undefined : schema] as const;
}

/** Functions that make validators. What they return does not show its schema, so they are wrapped while the app is loaded. */
const validators: Record<string, string> = {
  "@hono/arktype-validator": "arktypeValidator",
  "@hono/standard-validator": "sValidator",
  "@hono/typebox-validator": "tbValidator",
  "@hono/valibot-validator": "vValidator",
  "@hono/zod-validator": "zValidator",
  "hono-openapi": "validator",
};

const wrapper = Symbol.for("dory.wrapValidator");

/** From now on, validators are loaded with a mark. */
export function watch(): void {
  if (wrapper in globalThis) return;
  Object.assign(globalThis, { [wrapper]: wrap });
  registerHooks({
    resolve(specifier, context, next) {
      const found = next(specifier, context);
      return specifier in validators ? { ...found, url: `${found.url}?markHandler=${validators[specifier]}` } : found;
    },
    load(url, context, next) {
      const [, original, name] = /^(.*)\?markHandler=(\w+)$/.exec(url) ?? [];
      if (!original) return next(url, context);
      const source = `import { ${name} as original } from ${JSON.stringify(original)};
export * from ${JSON.stringify(original)};
export const ${name} = globalThis[Symbol.for(${JSON.stringify(wrapper.description)})](original);`;
      return { format: "module", source, shortCircuit: true };
    },
  });
}

type Validator = (target: string, schema: unknown, ...rest: unknown[]) => object;

/** `zValidator("json", Note)` is marked with its schema. */
function wrap(make: Validator): Validator {
  return (target, schema, ...rest) => markHandler(toDeclaration(target, schema), make(target, schema, ...rest));
}

function toDeclaration(target: string, schema: unknown): Declaration {
  const parts: Record<string, Declaration> = {
    json: { body: schema, refusal: 400 },
    form: { body: schema, bodyType: "multipart/form-data", refusal: 400 },
    query: { query: schema },
    param: { params: schema },
    header: { headers: schema },
  };
  return parts[target] ?? {};
}
