import { databases, frameworks, nodes, simpleFeatures, sources } from "../../src/new/choices.ts";
import { fieldTypes } from "../../src/new/field-types.ts";
import type { RequestInput } from "../../src/new/request.ts";

/** Numbers from 0 to 1 that are the same in each run. */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    // https://en.wikipedia.org/wiki/Linear_congruential_generator, with the numbers of Numerical Recipes
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A request that can be made, with some of everything. */
export function createRequest(random: () => number): RequestInput {
  const choose = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const some = <T>(list: readonly T[]): T[] => list.filter(() => random() < 0.3);
  const nouns = some(["orders", "lines", "people", "boxes", "stories", "order-parts"]);
  const createField = (index: number, targets: string[]) => {
    const type = choose(fieldTypes.filter((one) => one !== "ref" || targets.length > 0));
    const bounds: Record<string, string> = {
      string: choose(["", "(1..50)", "(..200)", "(2..)"]),
      number: choose(["", "(0..)", "(-1.5..2.5)"]),
      integer: choose(["", "(1..100)", "(min=0)"]),
      enum: choose(["(a|b|c)", "(small|extra-large)"]),
      ref: `(${choose(targets)})`,
    };
    return `${choose(["price", "title", "kind", "note", "day", "isOn"])}${index}:${type}${bounds[type] ?? ""}${random() < 0.3 ? "?" : ""}`;
  };
  const createFields = (targets: string[]) =>
    Array.from({ length: 1 + Math.floor(random() * 5) }, (_, index) => createField(index, targets));
  return {
    name: `${choose(["shop", "my-api", "a.b", "x_1"])}${Math.floor(random() * 1000)}`,
    framework: choose(frameworks),
    fields: createFields([]),
    resources: nouns.map((name, index) => `${name}: ${createFields(["items", ...nouns.slice(0, index)]).join(", ")}`),
    database: choose(databases),
    features: some(simpleFeatures),
    webhooks: some(sources),
    node: choose(nodes),
  };
}
