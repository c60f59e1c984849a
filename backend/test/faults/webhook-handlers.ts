import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { GithubEvent } from "../../src/features/webhooks/sources/github.ts";
import type { Handlers } from "../../src/features/webhooks/sources.ts";

/** Handlers that do what a payload says and write a journal; they replace the owner's. */
export function webhookHandlers(): Handlers {
  const handle = async ({ id, payload, attempt }: GithubEvent) => {
    note(`begin ${id} ${attempt}`);
    await sleep(Number(payload["waitMs"] ?? 0));
    if (attempt <= Number(payload["failures"] ?? 0)) throw new Error("as the payload says");
    note(`end ${id} ${attempt}`);
  };
  return { github: handle } as unknown as Handlers;
}

function note(line: string): void {
  appendFileSync(process.env["JOURNAL"] ?? "", `${line}\n`);
}
