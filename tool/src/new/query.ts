import { Fault, listChoices } from "../fault.ts";
import type { InputFlags } from "./input.ts";
import { joinService } from "./service-parts.ts";
import type { AnyInput } from "./services.ts";

/** The parameters of a query: the flags of `dory new`, and the name. The value says whether one may be repeated. */
const parameters: Record<keyof InputFlags | "name", boolean> = {
  name: false,
  framework: false,
  service: true,
  field: true,
  resource: true,
  database: false,
  with: true,
  webhook: true,
  node: false,
};

export type Parameter = keyof typeof parameters;

/** A fault in one parameter, and which of its values has it. */
export class ParameterFault extends Fault {
  readonly parameter: string;
  readonly index: number | undefined;

  constructor(parameter: string, { code, message }: Pick<Fault, "code" | "message">, index?: number) {
    super(code, message);
    this.parameter = parameter;
    this.index = index;
  }
}

/** Reads `framework=hono&field=name:string`. What is wrong with the query itself is reported, and left out. */
export function readQuery(query: URLSearchParams): {
  flags: InputFlags & { name?: string };
  faults: ParameterFault[];
} {
  // There are ten; of thousands, each would be compared with all of them.
  const names = [...new Set(query.keys())].slice(0, 100);
  const faults = names.flatMap((name) => {
    if (!isParameter(name))
      return new ParameterFault(name, {
        code: "unknown_parameter",
        message: listChoices("parameter", name, Object.keys(parameters)),
      });
    if (!parameters[name] && query.getAll(name).length > 1)
      return new ParameterFault(name, {
        code: "repeated_parameter",
        message: `"${name}" is given twice. Give it once.`,
      });
    return [];
  });
  const entries = names.filter(isParameter).map((name) => {
    const values = query.getAll(name);
    return [name, parameters[name] ? values : values[0]];
  });
  return { flags: Object.fromEntries(entries), faults };
}

const isParameter = (name: string): name is Parameter => Object.hasOwn(parameters, name);

/** Writes a request in the form that `readQuery` reads. */
export function writeQuery({
  name,
  framework,
  services,
  fields,
  resources,
  database,
  features,
  webhooks,
  node,
}: AnyInput): string {
  const pairs: [Parameter, string | string[] | undefined][] = [
    ["name", name],
    ["framework", framework],
    ["service", services?.map(joinService)],
    ["database", database],
    ["field", fields],
    ["resource", resources],
    ["with", features],
    ["webhook", webhooks],
    ["node", node],
  ];
  return pairs
    .flatMap(([parameter, value]) => [value ?? []].flat().map((one) => `${parameter}=${encodeValue(one)}`))
    .join("&");
}

/** People read addresses: what has no meaning in a value of a query stays as it is. */
export function encodeValue(value: string): string {
  return encodeURIComponent(value).replace(/%(20|3A|2C|3F|3D|2F|40)/g, (code) =>
    code === "%20" ? "+" : decodeURIComponent(code),
  );
}
