/** More texts than one backend has in all of its slices. */
const most = 10_000;

/**
 * Remembers what is found in a text. A server makes many projects, and most of their files are the same: looking through
 * their texts would take most of its time. A command makes one project, and loses nothing.
 */
export function remember<T>(find: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = find(text);
    if (known.size >= most) known.clear();
    known.set(text, value);
    return value;
  };
}
