/** Runs work on the same thing one after the other, in the order of the calls. */
export function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return <T>(id: string, work: () => Promise<T>): Promise<T> => {
    const turn = last.get(id)?.then(work, work) ?? work();
    const end = () => {
      if (last.get(id) === turn) last.delete(id);
    };
    last.set(id, turn);
    turn.then(end, end);
    return turn as Promise<T>;
  };
}
