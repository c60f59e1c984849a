/** A field as it is written, before its parts are checked: `price:number(0..)?=5 unique`. */
export interface FieldParts {
  name: string;
  type: string;
  /** What is in parentheses: bounds, the values of an enum, the resource of a reference. */
  bounds?: string | undefined;
  isOptional: boolean;
  default?: string | undefined;
  isUnique: boolean;
}

/** Undefined if the text does not have the form of a field. */
export function splitField(text: string): FieldParts | undefined {
  const isUnique = /\sunique$/.test(text);
  const rest = isUnique ? text.slice(0, -"unique".length).trimEnd() : text;
  const match = /^([^:]*):([a-z]+(?:\[\])?)(?:\(([^)]*)\))?(\?)?(?:=(.*))?$/s.exec(rest);
  if (!match) return undefined;
  const [, name = "", type = "", bounds, optional, written] = match;
  return { name, type, bounds, isOptional: optional === "?", default: written, isUnique };
}

export function joinField({ name, type, bounds, isOptional, default: written, isUnique }: FieldParts): string {
  const [inside, value] = [
    bounds === undefined ? "" : `(${bounds})`,
    written === undefined ? "" : `=${quote(written)}`,
  ];
  return `${name}:${type}${inside}${isOptional ? "?" : ""}${value}${isUnique ? " unique" : ""}`;
}

/** A default that ends like this would make the field unique. */
const quote = (written: string) => (/\sunique$/.test(written) ? JSON.stringify(written) : written);
