/** A reference to one of the components. */
export const refer = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

/** A reference to each of the components, by name. */
export function references(kind: string, components: object): Record<string, object> {
  return Object.fromEntries(Object.keys(components).map((name) => [name, refer(kind, name)]));
}
