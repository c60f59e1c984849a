import { Fault } from "../fault.ts";
import { parseField, parseFields } from "./field.ts";
import type { Field } from "./field-types.ts";
import { checkOneFramework, type InputFlags, missingFramework } from "./input.ts";
import { type Counted, checkCount, checkTogether } from "./limits.ts";
import { inOrder } from "./references.ts";
import { type RequestInput, readName, readRequest } from "./request.ts";
import { parseResources, type Resource, splitResource } from "./resource.ts";
import { parseService } from "./service.ts";
import { type AnyInput, readAnyRequest } from "./services.ts";

/** What is wrong with one part of a request, and with which. */
export interface PartFault {
  parameter: "name" | "framework" | "service" | "field" | "resource" | "database" | "with" | "webhook" | "node";
  /** Which of the values, if it is a list. */
  index?: number;
  /** Which field of that resource. */
  field?: number;
  code: string;
  message: string;
}

/** All faults of flags, and of the request that they make. */
export function findFlagFaults(flags: InputFlags, input: AnyInput): PartFault[] {
  const own = [
    ...explain({ parameter: "framework" }, () => checkOneFramework(flags)),
    ...(flags.service ?? []).flatMap((one, index) => explain({ parameter: "service", index }, () => parseService(one))),
  ];
  const isAt = (fault: PartFault) => own.some((one) => one.parameter === fault.parameter && one.index === fault.index);
  return [...own, ...findFaults(input).filter((fault) => !isAt(fault))];
}

/** All faults of a request, in the words of `readAnyRequest`, which stops at the first. None if that accepts it. */
export function findFaults({ services, ...input }: AnyInput): PartFault[] {
  const { name = "", framework, database, node, fields = [], resources = [], features = [], webhooks = [] } = input;
  const alone = (part: RequestInput) => () => readRequest({ name: "a", framework: "hono", ...part });
  const tooMany = [
    ...findTooMany("field", "fields", fields),
    ...findTooMany("resource", "resources", resources),
    ...findTooMany("with", "features", features),
    ...findTooMany("webhook", "sources", webhooks),
    ...findTooMany("service", "services", services ?? []),
  ];
  if (tooMany.length > 0) return tooMany;
  const own = [
    ...explain({ parameter: "name" }, () => readName(name)),
    ...(services
      ? []
      : explain({ parameter: "framework" }, () => {
          if (framework === undefined || framework === "") throw missingFramework();
          return alone({ framework })();
        })),
    ...(database === undefined ? [] : explain({ parameter: "database" }, alone({ database }))),
    ...(node === undefined ? [] : explain({ parameter: "node" }, alone({ node }))),
    ...features.flatMap((one, index) => explain({ parameter: "with", index }, alone({ features: [one] }))),
    ...webhooks.flatMap((one, index) => explain({ parameter: "webhook", index }, alone({ webhooks: [one] }))),
  ];
  const parts = [...findFieldFaults(fields), ...findResourceFaults(resources)];
  const shared = [...own, ...(parts.length > 0 ? parts : findReferenceFaults(fields, resources))];
  const tooMuch = shared.length > 0 ? [] : findTooMuch(services, input);
  if (services === undefined || tooMuch.length > 0) return [...shared, ...tooMuch];
  // Services are not blamed for what is wrong with all of them.
  const defaults = shared.length > 0 ? (framework === undefined ? {} : { framework }) : input;
  return [...shared, ...findServiceFaults(services, { ...defaults, name: "a" })];
}

/** A service is compared with those before it: the second of two with one name has the fault. */
function findServiceFaults(services: RequestInput[], defaults: RequestInput): PartFault[] {
  const read = (services: RequestInput[]) => readAnyRequest({ ...defaults, services });
  if (services.length === 0) return explain({ parameter: "service" }, () => read([]));
  const names = new Set<string>();
  return services.flatMap((service, index) => {
    const { name = "" } = service;
    const isTaken = names.has(name);
    names.add(name);
    return explain({ parameter: "service", index }, () => read(isTaken ? [service, service] : [service]));
  });
}

const findTooMany = (parameter: PartFault["parameter"], what: Counted, values: readonly unknown[]) =>
  explain({ parameter, index: values.length - 1 }, () => checkCount(what, values));

function findTooMuch(services: RequestInput[] | undefined, input: RequestInput): PartFault[] {
  const { resources = [] } = input;
  return services
    ? explain({ parameter: "service", index: services.length - 1 }, () =>
        checkTogether(services.map((service) => ({ ...input, ...service }))),
      )
    : explain({ parameter: "resource", index: resources.length - 1 }, () => checkTogether([input]));
}

/** A field is compared with those before it: the second of two with one name has the fault. */
function findFieldFaults(fields: string[]): PartFault[] {
  const names = new Map<string, string>();
  return fields.flatMap((one, index) => {
    const at = { parameter: "field", index } as const;
    return explain(at, () => {
      const { name } = parseField(one);
      const twin = names.get(name.toLowerCase());
      if (twin) parseFields([twin, one]);
      names.set(name.toLowerCase(), one);
    });
  });
}

function findResourceFaults(resources: string[]): PartFault[] {
  const others: string[] = [];
  return resources.flatMap((one, index) => {
    const at = { parameter: "resource", index } as const;
    const wrong = explain(at, () => parseResources([one])).map((fault) => ({ ...fault, ...findField(one) }));
    if (wrong.length > 0) return wrong;
    // Only their names can clash.
    const own = `${splitResource(one).name}: a:string`;
    const clash = explain(at, () => parseResources([...others, own]));
    if (clash.length === 0) others.push(own);
    return clash;
  });
}

/** The first wrong field of a resource. */
function findField(resource: string): { field?: number } {
  const { fields } = splitResource(resource);
  const tooMany = findTooMany("field", "fields", fields);
  const [first] = tooMany.length > 0 ? tooMany : findFieldFaults(fields);
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
  field.type === "ref" && isReachable(field.to, name, all, new Set());

function isReachable(from: string, to: string, all: Resource[], visited: Set<string>): boolean {
  if (from === to) return true;
  if (visited.has(from)) return false;
  visited.add(from);
  const { fields } = all.find(({ name }) => name === from) ?? { fields: [] };
  return fields.some((field) => field.type === "ref" && isReachable(field.to, to, all, visited));
}

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
