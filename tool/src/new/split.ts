/** Splits a text at separators outside brackets and quotes. Trims parts and drops empty ones. */
export function splitOutside(text: string, separator: RegExp): string[] {
  const parts = [""];
  let [depth, isQuoted] = [0, false];
  for (const [token] of text.matchAll(/\\.|./gs)) {
    if (token === '"') isQuoted = !isQuoted;
    if (!isQuoted) depth += Number(/[([{]/.test(token)) - Number(/[)\]}]/.test(token));
    if (!isQuoted && depth === 0 && separator.test(token)) parts.push("");
    else parts.push(parts.pop() + token);
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

/** Splits fields at spaces; `unique` belongs to the field before it. */
export function splitFields(text: string): string[] {
  return splitOutside(text.replaceAll(/\s+unique\b/g, "\u00a0unique"), /[ \t\r\n]/).map((field) =>
    field.replace("\u00a0unique", " unique"),
  );
}
