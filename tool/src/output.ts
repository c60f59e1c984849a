/** Prints a line. What a program prints must not control the terminal of the person who reads it. */
export function print(text: string): void {
  // biome-ignore lint/suspicious/noConsole: the only place that prints
  console.log(escapeControls(text));
}

/** The same, to stderr. */
export function printError(text: string): void {
  // biome-ignore lint/suspicious/noConsole: the only place that prints
  console.error(escapeControls(text));
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/**
 * The text without colours, with every other character that controls a terminal, or the order of letters, written as in
 * JSON: inside of a JSON string it means the same.
 */
export function escapeControls(text: string): string {
  return text
    .replaceAll(colours, "")
    .replaceAll("\r\n", "\n")
    .replaceAll(controls, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const colours = /\x1b\[[\d;]*m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const controls = /[\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
