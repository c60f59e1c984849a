import { unavailable } from "./problem.ts";

/** Throws if the database does not answer. Anyone may ask as often as they like: the database is asked ten times a second at most. */
export function createHealthCheck(store: { ping(): Promise<void> }): () => Promise<void> {
  let askedAt = Number.NEGATIVE_INFINITY;
  let isUp = Promise.resolve(false);
  return async () => {
    if (performance.now() - askedAt >= 100) {
      askedAt = performance.now();
      isUp = answersWithin(1000, store.ping());
    }
    if (!(await isUp)) throw unavailable();
  };
}

function answersWithin(ms: number, answer: Promise<void>): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, false);
    answer.then(() => resolve(true), reject).finally(() => clearTimeout(timer));
  });
}
