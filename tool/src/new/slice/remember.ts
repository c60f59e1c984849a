/** Characters of texts that are kept, more than one backend has in its files. */
const most = 2_000_000;

/**
 * Remembers what is found in a text. A server makes many projects, and most of their files are the same: looking through
 * their texts would take most of its time. A command makes one project, and loses nothing.
 */
export function remember<T>(find: (text: string) => T): (text: string) => T {
  let [recent, before] = [new Map<string, T>(), new Map<string, T>()];
  let size = 0;
  return (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    // What is used again stays; the rest, like the files of one request alone, is forgotten.
    const found = before.get(text) ?? find(text);
    if (size > most) [recent, before, size] = [new Map(), recent, 0];
    recent.set(text, found);
    size += text.length;
    return found;
  };
}
