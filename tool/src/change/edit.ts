import { Fault, listChoices } from "../fault.ts";
import { fieldExamples } from "../new/choices.ts";
import { splitNames } from "../new/input.ts";
import { quote } from "../new/programs.ts";
import { lists, type RequestInput, readRequest, simpleFeatures, sources, writeRequest } from "../new/request.ts";
import { type AnyRequest, isApplication } from "../new/services.ts";

/** A change to a request. */
export interface Edit {
  /** The subject of the commit: "Add auth". */
  title: string;
  /** The folders that it makes. */
  folders?: string[];
  /** Whether it changes all services of an application, if none is named. */
  isForAll?: boolean;
  apply(request: AnyRequest): AnyRequest;
}

type List = (typeof lists)[number];

const examples: Partial<Record<List, string>> = {
  fields: fieldExamples[1] ?? "",
  features: simpleFeatures.join(","),
  webhooks: sources.join(","),
};

/** `dory add`: new members of the request's lists. */
export function readAddition(args: string[]): Edit {
  const { list, values } = readMembers("add", args);
  if (values.length === 0)
    throw new Fault("usage", `Name it, like: dory add ${toSingular(list)} ${quote(examples[list] ?? "NAME")}`);
  return createEdit(printTitle("Add", list, values), (input) => {
    const have = input[list] ?? [];
    // Checked alone first, for a better message.
    readRequest({ ...input, [list]: values });
    const present = values.find((value) => findIndex(have, value) >= 0);
    if (present !== undefined)
      throw new Fault("already_there", `This project has the ${toSingular(list)} "${readKey(present)}" already.`);
    return { ...input, [list]: [...have, ...values] };
  });
}

/** `dory remove`: members by name, or all webhooks. */
export function readRemoval(args: string[]): Edit {
  const { list, values } = readMembers("remove", args);
  if (values.length === 0 && list !== "webhooks")
    throw new Fault("usage", `Name the ${list} to remove. See dory remove --help.`);
  return createEdit(printTitle("Remove", list, values), (input) => {
    const have = input[list] ?? [];
    const gone = new Set((values.length > 0 ? values : have).map((value) => expectIndex(list, have, value)));
    if (gone.size === 0) throw new Fault("not_there", `This project has no ${list}.`);
    const left = have.filter((_, index) => !gone.has(index));
    if (list === "fields" && left.length === 0)
      throw new Fault("last_field", "An item needs at least one field. Add another one before you remove the last.");
    return { ...input, [list]: left };
  });
}

/** `dory change`: new values for single members, and for named members of lists. */
export function createChange(single: Partial<RequestInput>, members: Partial<Record<List, string[]>>): Edit {
  const parts = [
    ...Object.entries(single).map(([name, value]) => `${name} to ${value}`),
    ...Object.entries(members).flatMap(([list, values]) =>
      values.map((value) => `${toSingular(list)} ${readKey(value)}`),
    ),
  ];
  if (parts.length === 0) throw new Fault("usage", "Name what to change. See dory change --help.");
  const isForAll = [...Object.keys(single), ...Object.keys(members)].every((name) => /^(node|database)$/.test(name));
  const edit = createEdit(`Change ${parts.join(", ")}`, (input) => {
    const changed: RequestInput = { ...input, ...single };
    for (const list of lists) {
      const replaced = [...(input[list] ?? [])];
      for (const value of members[list] ?? []) replaced[expectIndex(list, replaced, value)] = value;
      if (members[list]) changed[list] = replaced;
    }
    if (isSame(readRequest(changed), readRequest(input)))
      throw new Fault("already_there", "This project has these values already: nothing would change.");
    return changed;
  });
  return { ...edit, isForAll };
}

/** `dory update`: the same request. */
export function createUpdate(version: string): Edit {
  return { title: `Update to Dory ${version}`, apply: (request) => request };
}

export const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function createEdit(title: string, edit: (input: RequestInput) => RequestInput): Edit {
  return {
    title,
    apply(request) {
      if (isApplication(request)) throw new Error("a change to one backend of an application needs its name");
      return readRequest(edit(writeRequest(request)));
    },
  };
}

/** Reads `field price:number?`, `webhooks github,stripe`, `feature auth` or just `auth`. */
function readMembers(verb: string, [word = "", ...rest]: string[]): { list: List; values: string[] } {
  const list = lists.find((name) => name === word || name === `${word}s`);
  if (list === "features" && splitNames(rest).some((name) => /^webhooks?$/i.test(name)))
    throw new Fault("usage", `Webhooks are not named as features: dory ${verb} webhooks ${examples.webhooks}.`);
  if (list !== undefined) return { list, values: list === "features" || list === "webhooks" ? splitNames(rest) : rest };
  const features = splitNames([word, ...rest]);
  const isFeature = (name: string) => (simpleFeatures as readonly string[]).includes(name.toLowerCase());
  const unknown = features.find((name) => !isFeature(name));
  if (unknown === undefined) return { list: "features", values: features };
  const words = [...simpleFeatures, ...lists.filter((name) => name !== "features").map(toSingular), "service"];
  if (word === "") throw new Fault("usage", `Name what to ${verb}: ${words.join(", ")}. See dory ${verb} --help.`);
  throw new Fault("unknown_part", listChoices("part of a project", unknown, words));
}

/** The word for one member of a list. */
export const toSingular = (list: string) => (list === "webhooks" ? list : list.replace(/s$/, ""));

/** The name of a member: the text before a colon, or all of it. */
export const readKey = (value: string) => value.split(":", 1)[0]?.trim() ?? "";

export function findIndex(values: string[], value: string): number {
  const key = readKey(value).toLowerCase();
  return values.findIndex((one) => readKey(one).toLowerCase() === key);
}

function expectIndex(list: List, values: string[], value: string): number {
  const index = findIndex(values, value);
  if (index >= 0) return index;
  const has = values.length > 0 ? `It has: ${values.map(readKey).join(", ")}.` : "It has none.";
  throw new Fault("not_there", `This project has no ${toSingular(list)} "${readKey(value)}". ${has}`);
}

function printTitle(verb: string, list: List, values: string[]): string {
  const names = values.map(readKey).join(", ");
  if (list === "features") return `${verb} ${names}`;
  return values.length > 0 ? `${verb} ${toSingular(list)} ${names}` : `${verb} ${list}`;
}
