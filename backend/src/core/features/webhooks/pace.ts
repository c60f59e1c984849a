/** How often all processes together look for due events: events of other processes, and retries. */
const lookMs = 1000;
/** However many they are, what one of them left behind when it ended is found after this time. */
const maxPauseMs = 30_000;

/**
 * The pause until a process looks again, after so many looks of all processes since its last one: with ten of them each
 * looks every ten seconds. Up to a tenth more or less, so that processes that start together do not look together.
 */
export function chooseLookPause(looks: number): number {
  return Math.min(Math.max(looks * lookMs, lookMs), maxPauseMs) * (0.9 + Math.random() / 5);
}
