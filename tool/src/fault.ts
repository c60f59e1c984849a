/** A mistake that a person can fix: what is wrong, and what to do. `code` is stable, for programs. */
export class Fault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** For Ctrl-C before anything was done. */
export const nothingChanged = () => new Fault("interrupted", "Interrupted; nothing was changed.");

/** The choices, and the one that was probably meant. */
export function listChoices(what: string, given: string, known: readonly string[]): string {
  return `There is no ${what} "${given}".${guess(given, known)} Choose from: ${known.join(", ")}.`;
}

/** Asks about the choice that was probably meant, if one is similar. */
export function guess(given: string, known: readonly string[]): string {
  // Comparing takes as long as it is.
  if (given.length > 40) return "";
  const [nearest] = known
    .map((choice) => ({ choice, distance: editDistance(given.toLowerCase(), choice.toLowerCase()) }))
    .filter(({ choice, distance }) => distance < choice.length && distance <= Math.max(2, choice.length / 3))
    .sort((a, b) => a.distance - b.distance);
  return nearest ? ` Did you mean ${nearest.choice}?` : "";
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...a].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...b].entries())
      next.push(Math.min((row[j] ?? 0) + (letter === other ? 0 : 1), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    row = next;
  }
  return row.at(-1) ?? 0;
}
