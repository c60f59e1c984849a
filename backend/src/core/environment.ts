import { readFileSync } from "node:fs";
import { StartError } from "./problem.ts";

/** Reads settings from the environment. All faults are reported at once. */
export function readSettings<T>(env: NodeJS.ProcessEnv, settings: (read: Read) => T): T {
  const { read, faults } = createReader(env);
  const config = settings(read);
  if (faults.length > 0) throw new StartError(faults.join("\n"));
  return config;
}

/** Reads and parses a variable, or the fallback. A fault is collected, not thrown. */
export type Read = <T>(name: string, fallback: string | undefined, parse: (value: string) => T) => T;

/** A reader of variables, and the faults it found: each names the variable and never contains its value. */
function createReader(env: NodeJS.ProcessEnv): { read: Read; faults: string[] } {
  const faults: string[] = [];
  /** Reads the variable, or the file that `NAME_FILE` names: container engines pass secrets as files. */
  const read = <T>(name: string, fallback: string | undefined, parse: (value: string) => T): T => {
    try {
      const { [name]: set, [`${name}_FILE`]: file } = env;
      if (set !== undefined && file !== undefined) refuse(`and ${name}_FILE are both set; set one of them`);
      const value = file === undefined ? (set ?? fallback) : readFileSync(file, "utf8").replace(/\r?\n$/, "");
      if (value?.trim() === "") refuse("is set but blank");
      return parse(value ?? refuse("is required"));
    } catch (error) {
      // The system's message contains the file's name, which may be the secret itself by mistake.
      const { code, message } = error as NodeJS.ErrnoException;
      faults.push(`${name} ${code ? `cannot be read from the file that its _FILE names (${code})` : message}`);
      return undefined as T;
    }
  };
  return { read, faults };
}

export function integer(min: number, max = 2 ** 31 - 1) {
  const isInRange = (value: string) => /^\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max;
  return (value: string) => (isInRange(value) ? Number(value) : refuse(`must be a whole number from ${min} to ${max}`));
}

export function oneOf<T extends string>(choices: readonly T[]) {
  return (value: string): T => choices.find((one) => one === value) ?? refuse(`must be one of ${choices.join(", ")}`);
}

export function url(protocols: string[]) {
  const isOne = (value: string) => protocols.some((protocol) => value.startsWith(protocol));
  return (value: string) => (isOne(value) ? value : refuse(`must be a URL that starts with ${protocols.join(" or ")}`));
}

/** The elements of a list: what they are, for a fault, and how one is parsed. */
export interface ListElement<T> {
  what: string;
  read(one: string): T | undefined;
}

/** Parses a list. A fault names the position of a wrong element and not its value, which may be a secret. */
export function list<T>({ what, read }: ListElement<T>) {
  const refuseElement = (index: number) =>
    refuse(`must list ${what}, separated by commas; number ${index + 1} is not one`);
  return (value: string) => value.split(",").map((one, index) => read(one) ?? refuseElement(index));
}

export function refuse(fault: string): never {
  throw new Error(fault);
}
