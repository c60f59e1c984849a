/** A range of text to remove. */
export interface Edit {
  start: number;
  end: number;
}

interface Range {
  start: number;
  end: number;
}

/** Removes a node with the comments directly above it, and its lines if nothing else is on them. */
export function remove(source: string, { start, end }: Range, comments: Range[]): Edit {
  const lineStart = source.lastIndexOf("\n", start - 1) + 1;
  const isFirst = source.slice(lineStart, start).trim() === "";
  const [rest = ""] = /^[,;]?[^\S\n]*(\n|$)/.exec(source.slice(end)) ?? [];
  if (!isFirst || rest === "") return removeInList(source, { start, end });
  return { start: withComments(source, lineStart, comments), end: end + rest.length };
}

/** Removes one of several nodes on a line, with its comma. */
function removeInList(source: string, { start, end }: Range): Edit {
  const [after = ""] = /^\s*,\s*/.exec(source.slice(end)) ?? [];
  if (after !== "") return { start, end: end + after.length };
  const [before = ""] = /,\s*$/.exec(source.slice(0, start)) ?? [];
  return { start: start - before.length, end };
}

function withComments(source: string, lineStart: number, comments: Range[]): number {
  const above = comments.find(({ end }) => end < lineStart && source.slice(end, lineStart).match(/^\n?$/));
  if (!above) return lineStart;
  return withComments(source, source.lastIndexOf("\n", above.start - 1) + 1, comments);
}

/** Applies the edits, and removes blank lines as the formatter does. */
export function applyEdits(source: string, edits: Edit[]): string {
  let text = source;
  for (const { start, end } of [...edits].sort((a, b) => b.start - a.start))
    text = text.slice(0, start) + text.slice(end);
  return text
    .replace(/^\n+/, "")
    .replace(/\n+$/, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/([{([]\n)\n+/g, "$1")
    .replace(/\n\n+([^\S\n]*[})\]])/g, "\n$1");
}
