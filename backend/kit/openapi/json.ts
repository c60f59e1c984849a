/** The formatter's setting. */
export const lineWidth = 120;

/** JSON text in the formatter's layout: objects over several lines, lists of plain values on one if they fit. */
export function printJson(value: unknown): string {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  return text.replace(plainList, (list: string, at: number) => {
    const flat = list.replace(lineBreaks, (_, open, close) => (open || close ? "" : " "));
    const column = at - text.lastIndexOf("\n", at) - 1;
    // After the list there may be a comma.
    return column + flat.length < lineWidth ? flat : list;
  });
}

/** A list over several lines without objects and lists in it. Strings have no line breaks of their own in JSON. */
const plainList = /\[\n[^[\]{}"]*(?:"(?:[^"\\]|\\.)*"[^[\]{}"]*)*\]/g;
/** Those after its first bracket, before its last one, and between its values. */
const lineBreaks = /(?<=(\[)?)\n *(?=(\])?)/g;
