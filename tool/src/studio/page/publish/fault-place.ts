import type { Job } from "../../api.ts";

/** The control that a fault stands at: the one that it is about, or the flag or secret that its message names first. */
export function findPlace(
  { code, message, parameter }: NonNullable<Job["fault"]>,
  names: string[],
): string | undefined {
  if (parameter !== undefined) return names.find((name) => name === parameter);
  // An engine that does not answer is a target that cannot be used.
  if (/^(no_engine$|engine_)/.test(code)) return "to";
  const found = names.map((name) => ({ name, at: message.search(toPattern(name)) })).filter(({ at }) => at >= 0);
  return found.toSorted((a, b) => a.at - b.at)[0]?.name;
}

/** Secrets are in upper case, and named as they are. */
const toPattern = (name: string) => new RegExp(/^[A-Z]/.test(name) ? `\\b${name}\\b` : `--${name}\\b`);
