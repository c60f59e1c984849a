import { Fault } from "../fault.ts";
import { parseFields } from "./field.ts";
import type { Field } from "./field-types.ts";
import { missingFramework } from "./input.ts";
import { inOrder } from "./references.ts";
import { type RequestInput, readName, readRequest } from "./request.ts";
import { parseResources, type Resource, splitResource } from "./resource.ts";

/** What is wrong with one part of a request, and with which. */
export interface PartFault {
  parameter: "name" | "framework" | "field" | "resource" | "database" | "with" | "webhook" | "node";
  /** Which of the values, if it is a list. */
  index?: number;
  /** Which field of that resource. */
  field?: number;
  code: string;
  message: string;
}

/** All faults of a request, in the words of `readRequest`, which stops at the first. None if that accepts it. */
export function findFaults(input: RequestInput): PartFault[] {
  const { name = "", framework, database, node, fields = [], resources = [], features = [], webhooks = [] } = input;
  const alone = (part: RequestInput) => () => readRequest({ name: "a", framework: "hono", ...part });
  const own = [
    ...explain({ parameter: "name" }, () => readName(name)),
    ...explain({ parameter: "framework" }, () => {
      if (framework === undefined || framework === "") throw missingFramework();
      return alone({ framework })();
    }),
    ...(database === undefined ? [] : explain({ parameter: "database" }, alone({ database }))),
    ...(node === undefined ? [] : explain({ parameter: "node" }, alone({ node }))),
    ...features.flatMap((one, index) => explain({ parameter: "with", index }, alone({ features: [one] }))),
    ...webhooks.flatMap((one, index) => explain({ parameter: "webhook", index }, alone({ webhooks: [one] }))),
  ];
  const parts = [...findFieldFaults(fields), ...findResourceFaults(resources)];
  return [...own, ...(parts.length > 0 ? parts : findReferenceFaults(fields, resources))];
}

/** A field is compared with those before it: the second of two with one name has the fault. */
function findFieldFaults(fields: string[]): PartFault[] {
  return fields.flatMap((one, index) => {
    const at = { parameter: "field", index } as const;
    const wrong = explain(at, () => parseFields([one]));
    return wrong.length > 0 ? wrong : explain(at, () => parseFields([...fields.slice(0, index).filter(isField), one]));
  });
}

function findResourceFaults(resources: string[]): PartFault[] {
  return resources.flatMap((one, index) => {
    const at = { parameter: "resource", index } as const;
    const wrong = explain(at, () => parseResources([one])).map((fault) => ({ ...fault, ...findField(one) }));
    return wrong.length > 0
      ? wrong
      : explain(at, () => parseResources([...resources.slice(0, index).filter(isResource), one]));
  });
}

/** The first wrong field of a resource. */
function findField(resource: string): { field?: number } {
  const [first] = findFieldFaults(splitResource(resource).fields);
  return first?.index === undefined || isNameWrong(resource) ? {} : { field: first.index };
}

const isNameWrong = (resource: string) => !isResource(`${splitResource(resource).name}: a:string`);

/** References can be checked only when all resources can be read. */
function findReferenceFaults(fields: string[], others: string[]): PartFault[] {
  const resources = [{ name: "items", fields: parseFields(fields) }, ...parseResources(others)];
  const [fault] = explain({ parameter: "resource" }, () => inOrder(resources));
  if (!fault) return [];
  const { code, message } = fault;
  const isWrong = code === "ref_unknown" ? isUnknown : isInCircle;
  const all = resources.flatMap((resource, place) =>
    resource.fields.map((field, index) => ({ resource, place, field, index })),
  );
  const { place = 0, index = 0 } = all.find(({ field, resource }) => isWrong(field, resource, resources)) ?? {};
  return place === 0
    ? [{ parameter: "field", index, code, message }]
    : [{ parameter: "resource", index: place - 1, field: index, code, message }];
}

const isUnknown = (field: Field, _: Resource, all: Resource[]) =>
  field.type === "ref" && !all.some(({ name }) => name === field.to);

const isInCircle = (field: Field, { name }: Resource, all: Resource[]) =>
  field.type === "ref" && isReachable(field.to, name, all, []);

function isReachable(from: string, to: string, all: Resource[], above: string[]): boolean {
  if (from === to) return true;
  const { fields } = all.find(({ name }) => name === from) ?? { fields: [] };
  return fields.some(
    (field) => field.type === "ref" && !above.includes(from) && isReachable(field.to, to, all, [...above, from]),
  );
}

const isField = (text: string) => explain({ parameter: "field" }, () => parseFields([text])).length === 0;
const isResource = (text: string) => explain({ parameter: "resource" }, () => parseResources([text])).length === 0;

function explain(at: Omit<PartFault, "code" | "message">, read: () => unknown): PartFault[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return [{ ...at, code: error.code, message: error.message }];
  }
}
