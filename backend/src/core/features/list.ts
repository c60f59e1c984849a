import { refuse } from "../environment.ts";

/** The elements of a list: what they are, for a fault, and how one is parsed. */
export interface Listed<T> {
  what: string;
  read(one: string): T | undefined;
}

/** Parses a list. A fault names the position of a wrong element and not its value, which may be a secret. */
export function listOf<T>({ what, read }: Listed<T>) {
  const refused = (index: number) => refuse(`must list ${what}, separated by commas; number ${index + 1} is not one`);
  return (value: string) => value.split(",").map((one, index) => read(one) ?? refused(index));
}
