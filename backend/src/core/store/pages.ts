import { setImmediate as nextTurn } from "node:timers/promises";
import type { Page } from "../resource.ts";
import type { List } from "./store.ts";

/** How long a request waits for a query that was sent before it came. */
const patienceMs = 50;

/**
 * Requests for the same page share a query, which is sent after the last of them has come, so that it is as current as
 * one for each would be. While it is under way, the next requests gather.
 */
export function sharePages(list: List): List {
  const gathering = new Map<string, Promise<string>>();
  const underWay = new Map<string, Promise<unknown>>();

  const answer = async (page: Page, key: string) => {
    await nextTurn();
    const before = underWay.get(key);
    if (before) await waitFor(before);
    gathering.delete(key);
    const answered = list(page);
    underWay.set(key, answered);
    try {
      return await answered;
    } finally {
      if (underWay.get(key) === answered) underWay.delete(key);
    }
  };
  return (page) => gathering.getOrInsertComputed(`${page.limit} ${page.cursor}`, (key) => answer(page, key));
}

function waitFor(answered: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    answered.then(end, end);
  });
}
