import { parseArgs } from "node:util";
import { Fault, guess } from "./fault.ts";

/** How a command is called, as data: its arguments are read, its help is printed and mistakes are explained from it. */
export interface Usage<F extends Flags = Flags> {
  command: string;
  /** What it does, in one line for the overview. */
  summary: string;
  /** Its arguments and required flags, as the help shows them. */
  call: string;
  /** The most arguments that it takes, not counting flags. */
  atMost: number;
  flags: F;
  /** Paragraphs below the flags. */
  notes?: readonly string[];
  /** A sentence added to every usage error. */
  hint?: string;
}

export type Flags = Record<string, Flag>;

/** `help` is one line or several; the default of a string is added to the last. */
export type Flag =
  /** `--name VALUE`; `value` is its placeholder in the help, like FILE. */
  | { type: "string"; value: string; help: string; default?: string; multiple?: boolean }
  /** `--name`; if the default is true, `--no-name`, and `help` describes that one. */
  | { type: "boolean"; help: string; default?: boolean };

/** Reads the arguments of a command. A flag of another command is a mistake too. */
export function readFlags<const F extends Flags>(usage: Usage<F>, args: string[]) {
  const options = { args, options: usage.flags, allowPositionals: true, allowNegative: true } as const;
  const fault = findFault(usage, parseArgs({ ...options, strict: false, tokens: true }).tokens);
  if (fault === undefined) return parseArgs(options);
  const { command, hint } = usage;
  throw new Fault("usage", `${fault} See dory ${command} --help.${hint === undefined ? "" : ` ${hint}`}`);
}

/** The help page of a command. */
export function printUsage({ command, call, flags, notes = [] }: Usage): string {
  const rows = Object.entries(flags).map(([name, flag]): [string, string] => [printFlag(name, flag), printHelp(flag)]);
  const width = Math.max(0, ...rows.map(([spelling]) => spelling.length));
  const indent = `\n${" ".repeat(width + 4)}`;
  const lines = rows.map(([spelling, help]) => `  ${spelling.padEnd(width)}  ${help.replaceAll("\n", indent)}\n`);
  const head = `${["dory", command, call, lines.length > 0 ? "[options]" : ""].filter(Boolean).join(" ")}\n`;
  return [head, lines.join(""), ...notes.map((note) => `${note}\n`)].filter(Boolean).join("\n");
}

/** The first mistake in the arguments. */
function findFault({ command, flags, atMost }: Usage, tokens: Token[]): string | undefined {
  const known = new Map(
    Object.entries(flags).flatMap(([name, flag]) => listSpellings(name, flag).map((one) => [one, flag])),
  );
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const { rawName, value, inlineValue } = token;
    const flag = known.get(rawName);
    if (!flag) return `dory ${command} has no flag ${rawName}.${guess(rawName, [...known.keys()])}`;
    if (flag.type === "boolean" && value !== undefined) return `${rawName} takes no value.`;
    if (flag.type === "string" && (value === undefined || (!inlineValue && /^-./.test(value))))
      return `${rawName} needs a value: ${rawName} ${flag.value}.`;
  }
  const extra = tokens.filter((token) => token.kind === "positional")[atMost];
  return extra && `Unexpected argument "${extra.value}".`;
}

type Token = ReturnType<typeof parseArgs<{ strict: false; tokens: true }>>["tokens"][number];

function listSpellings(name: string, flag: Flag): string[] {
  return flag.default === true ? [`--${name}`, `--no-${name}`] : [`--${name}`];
}

function printFlag(name: string, flag: Flag): string {
  if (flag.type === "boolean") return listSpellings(name, flag).at(-1) ?? "";
  return `--${name} ${flag.value}`;
}

function printHelp({ help, ...flag }: Flag): string {
  return typeof flag.default === "string" ? `${help} (default: ${flag.default})` : help;
}
