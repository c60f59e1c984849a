import { refuse } from "../environment.ts";

/** What a list is made of: said in a fault, and how one is read. */
export interface Listed<T> {
  what: string;
  read(one: string): T | undefined;
}

/** Of a list, the place of what is wrong is told: its value may be a secret. */
export function listOf<T>({ what, read }: Listed<T>) {
  const refused = (index: number) => refuse(`must list ${what}, separated by commas; number ${index + 1} is not one`);
  return (value: string) => value.split(",").map((one, index) => read(one) ?? refused(index));
}
