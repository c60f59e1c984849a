import type { Usage } from "../flags.ts";

/** How `dory compose` is called. */
export const composeUsage = {
  command: "compose",
  summary: "write compose.yaml, to run several services on this machine",
  call: "",
  atMost: 0,
  flags: {},
  notes: ["  Run it in a folder with a dory.json. Then docker compose up --build runs all services."],
} as const satisfies Usage;
