export interface Instruction {
  /** In upper case, like `FROM`. */
  keyword: string;
  /** The rest of the instruction, on one line. */
  text: string;
  /** The number of its first line. */
  line: number;
}

/** The instructions of a Dockerfile; without comments, with continued lines joined. */
export function instructionsOf(dockerfile: string): Instruction[] {
  const goesOn = /^#\s*escape\s*=\s*`/im.test(dockerfile) ? /`\s*$/ : /\\\s*$/;
  const instructions: Instruction[] = [];
  let open: Instruction | undefined;
  for (const [index, line] of dockerfile.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const part = line.replace(goesOn, " ");
    if (open) open.text += part;
    else {
      const [, keyword = "", text = ""] = /^\s*(\S+)\s*(.*)$/.exec(part) ?? [];
      open = { keyword: keyword.toUpperCase(), text, line: index + 1 };
      instructions.push(open);
    }
    if (part === line) open = undefined;
  }
  return instructions;
}

/** The variables that an `ENV` or `ARG` sets, in both of its forms. */
export function variablesIn({ keyword, text }: Instruction): [name: string, value: string][] {
  const [, name = "", value = ""] = /^([A-Za-z_]\w*)\s+(\S.*)$/.exec(text) ?? [];
  if (keyword === "ENV" && name) return [[name, unquoted(value.trim())]];
  const pairs = text.matchAll(/([A-Za-z_]\w*)=("(?:[^"\\]|\\.)*"|'[^']*'|(?:\\.|\S)*)/g);
  return [...pairs].map(([, name = "", value = ""]) => [name, unquoted(value)]);
}

/** The base image of the last stage; undefined for `scratch`, or if only the builder knows it. */
export function baseOf(dockerfile: string): string | undefined {
  const instructions = instructionsOf(dockerfile);
  const first = instructions.findIndex(({ keyword }) => keyword === "FROM");
  const given = instructions.slice(0, first).filter(({ keyword }) => keyword === "ARG");
  const defaults = new Map(given.flatMap(variablesIn));
  const stages = instructions
    .filter(({ keyword }) => keyword === "FROM")
    .map(({ text }) => /^(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?\s*$/i.exec(text.trim()) ?? [])
    .map(([, image = "", name]) => ({ image: withDefaults(image, defaults), name: name?.toLowerCase() }));
  let at = stages.length - 1;
  for (;;) {
    const image = stages[at]?.image ?? "scratch";
    const earlier = stages.slice(0, Math.max(at, 0)).findLastIndex(({ name }) => name === image.toLowerCase());
    if (earlier < 0) return image === "scratch" || image.includes("$") ? undefined : image;
    at = earlier;
  }
}

const withDefaults = (text: string, defaults: Map<string, string>) =>
  text.replaceAll(/\$(?:(\w+)|\{(\w+)\})/g, (whole, name, braced) => defaults.get(name ?? braced) ?? whole);

const unquoted = (value: string) => value.replace(/^(["'])(.*)\1$/s, "$2");
