import type { Schema } from "../../example.ts";

export type Class = { name: string; prototype: Record<string, unknown> };

/** The metadata that decorators have set. */
export function metadata<T>(key: string, target: object, property?: string): T | undefined {
  const { getMetadata } = Reflect as unknown as { getMetadata(...args: unknown[]): T | undefined };
  return property === undefined ? getMetadata(key, target) : getMetadata(key, target, property);
}

/** One decorator of class-validator on a field. */
interface Rule {
  type: string;
  name?: string;
  propertyName: string;
  constraints?: unknown[];
  /** Whether it is about each element of a list. */
  each: boolean;
}

interface Storage {
  getTargetValidationMetadatas(target: unknown, schema: string, always: boolean, strict: boolean): Rule[];
}

/** The schema of a class whose fields class-validator checks. */
export function schemaOfClass(type: unknown): Schema | undefined {
  const { classValidatorMetadataStorage: storage } = globalThis as { classValidatorMetadataStorage?: Storage };
  const rules = typeof type === "function" ? storage?.getTargetValidationMetadatas(type, "", false, false) : undefined;
  if (!rules || rules.length === 0) return undefined;
  const fields = Object.entries(Object.groupBy(rules, ({ propertyName }) => propertyName));
  const isOptional = (own: Rule[] = []) => own.some(({ name }) => name === "isOptional");
  return {
    type: "object",
    properties: Object.fromEntries(fields.map(([name, own = []]) => [name, schemaOfField(type as Class, name, own)])),
    required: fields.filter(([, own]) => !isOptional(own)).map(([name]) => name),
  };
}

function schemaOfField({ prototype }: Class, field: string, rules: Rule[]): Schema {
  const own = rules.filter(({ each }) => !each).map(toKeywords);
  const ofElements = rules.filter(({ each }) => each).map(toKeywords);
  const isNested = rules.some(({ type, each }) => type === "nestedValidation" && !each);
  const nested = isNested ? schemaOfClass(metadata("design:type", prototype, field)) : {};
  const items = ofElements.length > 0 ? { type: "array", items: Object.assign({}, ...ofElements) } : {};
  return Object.assign({}, nested, items, ...own);
}

/** What a rule means in JSON Schema. A rule that it cannot express adds nothing. */
function toKeywords({ name = "", constraints: [first, second] = [] }: Rule): Schema {
  return keywords[name]?.(first, second) ?? {};
}

const number = (value: unknown) => value as number;

const keywords: Record<string, (first: unknown, second: unknown) => Schema> = {
  isString: () => ({ type: "string" }),
  isNumber: () => ({ type: "number" }),
  isInt: () => ({ type: "integer" }),
  isBoolean: () => ({ type: "boolean" }),
  isArray: () => ({ type: "array" }),
  isObject: () => ({ type: "object" }),
  isEmail: () => ({ type: "string", format: "email" }),
  isUuid: () => ({ type: "string", format: "uuid" }),
  isUrl: () => ({ type: "string" }),
  isDateString: () => ({ type: "string" }),
  isRFC3339: () => ({ type: "string", format: "date-time" }),
  isEnum: (_, values) => ({ enum: values as unknown[] }),
  isIn: (values) => ({ enum: values as unknown[] }),
  equals: (value) => ({ const: value }),
  isLength: (min, max) => ({ minLength: number(min), ...(max !== undefined && { maxLength: number(max) }) }),
  minLength: (min) => ({ minLength: number(min) }),
  maxLength: (max) => ({ maxLength: number(max) }),
  matches: (pattern) => ({ type: "string", pattern: (pattern as RegExp).source }),
  min: (min) => ({ minimum: number(min) }),
  max: (max) => ({ maximum: number(max) }),
  isPositive: () => ({ exclusiveMinimum: 0 }),
  isNegative: () => ({ exclusiveMaximum: 0 }),
  isDivisibleBy: (divisor) => ({ multipleOf: number(divisor) }),
  arrayMinSize: (min) => ({ minItems: number(min) }),
  arrayMaxSize: (max) => ({ maxItems: number(max) }),
  arrayNotEmpty: () => ({ minItems: 1 }),
  arrayUnique: () => ({ uniqueItems: true }),
};
