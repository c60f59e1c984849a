import { lists, type RequestInput } from "../new/request.ts";
import { type AnyInput, type AnyRequest, readAnyRequest } from "../new/services.ts";
import { findIndex, isSame, readKey } from "./edit.ts";

/** Merges the requests of two clones. If both changed the same member, `decided` has the result. */
export function mergeRequests(base: AnyInput, one: AnyInput, other: AnyInput, decided: AnyInput): AnyRequest {
  const merged = mergeInputs(base, one, other, decided);
  const lists = [base, one, other, decided].map(({ services = [] }) => services) as Four<RequestInput[]>;
  // In the order of `decided`: the first service is the public one.
  const names = [...new Set([lists[3], lists[1], lists[2]].flatMap((services) => services.map(({ name }) => name)))];
  if (names.length === 0) return readAnyRequest(merged);
  const services = names.flatMap((name) => {
    const found = lists.map((services) => services.find((service) => service.name === name));
    const [before, left, right, last] = found as Four<RequestInput | undefined>;
    if (left && right) return [mergeInputs(before ?? {}, left, right, last ?? left)];
    return pick(before, left, right, last) ?? [];
  });
  return readAnyRequest({ ...merged, services });
}

function pick<T>(base: T, one: T, other: T, decided: T): T {
  if (isSame(one, other) || isSame(other, base)) return one;
  return isSame(one, base) ? other : decided;
}

/** The same for one backend. */
function mergeInputs(base: RequestInput, one: RequestInput, other: RequestInput, decided: RequestInput): RequestInput {
  const merged: Record<string, unknown> = { ...decided };
  for (const name of Object.keys({ ...one, ...other }) as (keyof RequestInput)[])
    merged[name] = pick(base[name], one[name], other[name], decided[name] ?? one[name]);
  for (const list of lists) {
    const [before, left, right, last] = [base, one, other, decided].map((input) => input[list] ?? []) as Four<string[]>;
    const all = [...new Set([...left, ...right, ...last].map(readKey))];
    const findMember = (values: string[], key: string) => values[findIndex(values, key)];
    merged[list] = all
      .map((key) => pick(findMember(before, key), findMember(left, key), findMember(right, key), findMember(last, key)))
      .filter((value) => value !== undefined);
  }
  return merged;
}

type Four<T> = [T, T, T, T];
