import { isDeepStrictEqual } from "node:util";
import { printJson } from "../../../backend/kit/openapi/json.ts";

type Json = null | boolean | number | string | Json[] | Members;

interface Members {
  [name: string]: Json;
}

/**
 * Merges JSON files by their members: two that were added on adjacent lines are no conflict. Undefined if both sides
 * changed the same member, or if a file is not JSON.
 */
export function mergeJson(base: string, ours: string, theirs: string): string | undefined {
  try {
    const [before, mine, other] = [base, ours, theirs].map((text) => JSON.parse(text)) as [Json, Json, Json];
    return printLike(ours, merge(before, mine, other));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof Conflict) return undefined;
    throw error;
  }
}

/** Both sides changed the same value. */
class Conflict extends Error {}

function merge(base: Json | undefined, ours: Json | undefined, theirs: Json | undefined): Json {
  const merged = mergeMember(base, ours, theirs);
  if (merged === undefined) throw new Conflict();
  return merged;
}

function mergeMember(base: Json | undefined, ours: Json | undefined, theirs: Json | undefined): Json | undefined {
  if (isEqual(ours, theirs) || isEqual(base, theirs)) return ours;
  if (isEqual(base, ours)) return theirs;
  if ([base ?? [], ours, theirs].every(isNamed))
    return Object.values(mergeMember(...([base, ours, theirs].map(toMembers) as [Json, Json, Json])) as Members);
  if (!isObject(ours) || !isObject(theirs) || (base !== undefined && !isObject(base))) throw new Conflict();
  const names = mergeOrder(Object.keys(ours), Object.keys(theirs));
  const readMember = (side: Members | undefined, name: string) =>
    side && Object.hasOwn(side, name) ? side[name] : undefined;
  const members = names.map((name) => {
    const [before, mine, other] = [base, ours, theirs].map((side) => readMember(side, name));
    // Of words for people, the owner's stay: those of a tag that a route and a new resource have depend on who was first.
    const isText = name === "description" && before === undefined && mine !== undefined;
    return [name, isText ? mine : mergeMember(before, mine, other)] as const;
  });
  return Object.fromEntries(members.filter((member): member is [string, Json] => member[1] !== undefined));
}

/** Whether it is a list of objects that each have another name, like the tags of `openapi.json`. */
function isNamed(value: Json | undefined): value is (Members & { name: string })[] {
  if (!Array.isArray(value)) return false;
  const names = value.map((one) => (isObject(one) ? one["name"] : undefined));
  return names.every((name) => typeof name === "string") && new Set(names).size === names.length;
}

/** Such a list by its names. */
function toMembers(list: Json | undefined): Json | undefined {
  return isNamed(list) ? Object.fromEntries(list.map((one) => [`name ${one.name}`, one])) : undefined;
}

/** The owner's order, with each new name after the one that it follows in the other; sorted names stay sorted. */
function mergeOrder(ours: string[], theirs: string[]): string[] {
  const isSorted = (names: string[]) => names.every((name, at) => at === 0 || (names[at - 1] ?? "") <= name);
  const all = [...ours];
  for (const [at, name] of theirs.entries())
    if (!all.includes(name)) all.splice(all.indexOf(theirs[at - 1] ?? "") + 1, 0, name);
  return isSorted(ours) && isSorted(theirs) ? all.sort() : all;
}

function isEqual(one: Json | undefined, other: Json | undefined): boolean {
  return isDeepStrictEqual(one, other);
}

function isObject(value: Json | undefined): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** In the layout of a text: the formatter's, or that of `JSON.stringify` with the same indentation. */
function printLike(text: string, value: Json): string {
  if (text.includes("\r\n")) return printLike(text.replaceAll("\r\n", "\n"), value).replaceAll("\n", "\r\n");
  if (printJson(JSON.parse(text)) === text) return printJson(value);
  const [, indent = "  "] = /^[[{]\n([ \t]+)/.exec(text) ?? [];
  return `${JSON.stringify(value, null, indent)}\n`;
}
