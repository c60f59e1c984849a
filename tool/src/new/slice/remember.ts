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

/** The same for a text at a path. A text is rarely at more than one. */
export function rememberAt<T>(find: (path: string, text: string) => T): (path: string, text: string) => T {
  const findPlaces = remember(() => new Map<string, T>());
  return (path, text) => {
    const places = findPlaces(text);
    const known = places.get(path);
    if (known !== undefined) return known;
    const found = find(path, text);
    places.set(path, found);
    return found;
  };
}
