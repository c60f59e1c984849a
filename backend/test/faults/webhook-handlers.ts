import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { GithubEvent } from "../../src/core/features/webhooks/sources/github.ts";
import type { Handlers } from "../../src/core/features/webhooks/sources.ts";

/** Handlers that do what a payload says and write a journal; they replace the owner's. */
export function webhookHandlers(_parts: unknown, app: unknown): Handlers {
  if (Object(app) !== app) throw new Error("Handlers get the framework's app.");
  const handle = async ({ id, payload, attempt }: GithubEvent) => {
    note(`begin ${id} ${attempt}`);
    if (attempt <= Number(payload["crashes"] ?? 0)) await new Promise(() => setTimeout(fail, 5));
    if (attempt <= Number(payload["hangs"] ?? 0)) await new Promise(() => {});
    await sleep(Number(payload["waitMs"] ?? 0));
    if (attempt <= Number(payload["failures"] ?? 0)) throw new Error("as the payload says");
    note(`end ${id} ${attempt}`);
  };
  process.on("SIGUSR2", fail);
  return { github: handle } as unknown as Handlers;
}

function fail(): never {
  throw new Error("thrown where nothing catches it");
}

function note(line: string): void {
  appendFileSync(process.env["JOURNAL"] ?? "", `${line}\n`);
}
