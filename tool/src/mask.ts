/** The longest piece of a secret that may be shown, in characters. */
const showable = 7;

/**
 * The text without secrets. A message may quote a part of a secret, or a check may have changed it, so every longer
 * piece of it, forwards or backwards and in any case, becomes `***`.
 */
export function mask(text: string, secrets: string[]): string {
  const pieces = new Set(secrets.flatMap((secret) => [...cutPieces(secret), ...cutPieces(reverse(secret))]));
  const isHidden = new Array<boolean>(text.length).fill(false);
  const lower = text.toLowerCase();
  for (const size of new Set([...pieces].map((piece) => piece.length)))
    for (let at = 0; at + size <= text.length; at++)
      if (pieces.has(lower.slice(at, at + size))) isHidden.fill(true, at, at + size);
  return Array.from({ length: text.length }, (_, at) => {
    if (!isHidden[at]) return text[at];
    return isHidden[at - 1] ? "" : "***";
  }).join("");
}

function cutPieces(secret: string): string[] {
  const size = Math.min(showable + 1, secret.length);
  if (size === 0) return [];
  return Array.from({ length: secret.length - size + 1 }, (_, at) => secret.slice(at, at + size).toLowerCase());
}

function reverse(text: string): string {
  return [...text].reverse().join("");
}
