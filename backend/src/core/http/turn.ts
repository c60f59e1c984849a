import { setImmediate } from "node:timers/promises";

let turn: Promise<void> | undefined;

/**
 * Resolves when everything that has arrived in this turn of the event loop is read. Handling many requests step by step
 * together takes far less time than one after the other.
 */
export function waitForEndOfTurn(): Promise<void> {
  turn ??= setImmediate().then(() => {
    turn = undefined;
  });
  return turn;
}
