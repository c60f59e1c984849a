/** Keeps the values that were used last, up to a size. */
export class Cache<Value> {
  readonly #values = new Map<string, { value: Value; size: number }>();
  readonly #limit: number;
  #size = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The value of a key, made if it is not known; `measure` says how large it is. */
  find(key: string, make: () => Value, measure: (value: Value) => number): Value {
    const known = this.#values.get(key);
    if (known) {
      this.#values.delete(key);
      this.#values.set(key, known);
      return known.value;
    }
    const value = make();
    const size = measure(value) + key.length;
    // It would only push out all others.
    if (size > this.#limit) return value;
    this.#values.set(key, { value, size });
    this.#size += size;
    for (const [oldest, { size }] of this.#values) {
      if (this.#size <= this.#limit) break;
      this.#values.delete(oldest);
      this.#size -= size;
    }
    return value;
  }
}
