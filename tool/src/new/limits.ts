import { Fault } from "../fault.ts";

/** More than a backend needs: anyone may ask a public generator, and each part takes time. */
const most = { fields: 100, resources: 30, features: 100, sources: 100, services: 30 };

export type Counted = keyof typeof most;

export function checkCount(what: Counted, { length }: readonly unknown[]): void {
  if (length > most[what])
    throw new Fault("too_many", `There are ${length} ${what}, more than the ${most[what]} that are possible here.`);
}

const together = { resources: 150, characters: 100_000 };

/** What all services have together: each of them is made, with the fields and resources that stand next to them. */
export function checkTogether(services: { fields?: string[]; resources?: string[] }[]): void {
  const resources = services.flatMap((service) => service.resources ?? []);
  const fields = services.flatMap((service) => service.fields ?? []);
  const characters = [...fields, ...resources].reduce((total, { length }) => total + length, 0);
  if (resources.length <= together.resources && characters <= together.characters) return;
  throw new Fault(
    "too_much",
    `In all, this asks for ${resources.length} resources, and for fields and resources of ${characters} characters. At most ${together.resources} and ${together.characters} are possible here; what services share counts for each of them.`,
  );
}

/** A field can have a long list of values, and a resource many fields. */
const longest = { field: 1000, resource: 20_000 };

export function checkLength(what: keyof typeof longest, { length }: string): void {
  if (length > longest[what])
    throw new Fault("too_long", `A ${what} has ${length} characters. Write it in at most ${longest[what]}.`);
}
