/** The names of a resource in code and paths, from its plural name: `order-lines`. */
export interface Names {
  /** In paths, tables and folders: `order-lines`, `order-line`. */
  plural: string;
  singular: string;
  /** As a variable: `orderLines`, `orderLine`. */
  variables: [plural: string, singular: string];
  /** As a type or a class: `OrderLines`, `OrderLine`. */
  types: [plural: string, singular: string];
  /** In a sentence: `order lines`. */
  words: string;
}

export function toNames(plural: string): Names {
  const singular = toSingular(plural) ?? plural;
  return {
    plural,
    singular,
    variables: [toCamelCase(plural), toCamelCase(singular)],
    types: [capitalize(toCamelCase(plural)), capitalize(toCamelCase(singular))],
    words: plural.replaceAll("-", " "),
  };
}

/** The singular: `order`, `category`, `box`. Undefined for a name that is not plural. */
export function toSingular(plural: string): string | undefined {
  const [, before = "", word = ""] = /^(.*-)?(\w+)$/.exec(plural) ?? [];
  const one = irregular.get(word) ?? toRegularSingular(word);
  return one === undefined ? undefined : before + one;
}

function toRegularSingular(word: string): string | undefined {
  if (!/.s$/.test(word) || /(ss|sis|tus)$/.test(word)) return undefined;
  if (/[^aeiou]ies$/.test(word) && word.length > 4) return word.replace(/ies$/, "y");
  return word.replace(/(?<=ss|x|ch|sh|zz|[^aeo]us)es$|s$/, "");
}

/** Words that the rule would get wrong, and words without a separate plural. */
const irregular = new Map([
  ["people", "person"],
  ["children", "child"],
  ["movies", "movie"],
  ["cookies", "cookie"],
  ["media", "medium"],
  ...["news", "series", "species", "data", "feedback", "staff"].map((word): [string, string] => [word, word]),
]);

const toCamelCase = (name: string) => name.replaceAll(/-(\w)/g, (_, letter) => letter.toUpperCase());
export const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
