import type { Usage } from "../flags.ts";
import { sources } from "../new/choices.ts";

/** How `dory webhook` is called. */
export const webhookUsage = {
  command: "webhook",
  summary: "sign an example event and send it to a running backend",
  call: "send SOURCE --to URL",
  atMost: 2,
  flags: {
    to: {
      type: "string",
      value: "URL",
      help: "where the backend is, like http://localhost:3000, or the whole URL of the route",
    },
    json: { type: "boolean", help: "print one JSON result" },
  },
  notes: [
    `  SOURCE is one of ${sources.join(", ")}. The secret is the first in WEBHOOK_<SOURCE>_SECRETS, from the environment or
  from the .env in this folder. The exit code is 0 if the event was accepted, otherwise 1.`,
  ],
} as const satisfies Usage;
