import { setImmediate } from "node:timers/promises";

let turn: Promise<void> | undefined;

/**
 * Resolves when all that has arrived in this turn of the event loop is read. Many requests that take each step together
 * cost far less than one after the other.
 */
export function endOfTurn(): Promise<void> {
  turn ??= setImmediate().then(() => {
    turn = undefined;
  });
  return turn;
}
