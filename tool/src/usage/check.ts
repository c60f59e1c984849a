import type { Usage } from "../flags.ts";

/** How `dory check` is called. */
export const checkUsage = {
  command: "check",
  summary: "check a running backend against the contract",
  call: "URL",
  atMost: 1,
  flags: {
    openapi: {
      type: "string",
      value: "FILE",
      help: "the openapi.json that describes the backend, or the dory.json in its folder (default: items with a name)",
    },
    json: { type: "boolean", help: "print one JSON result" },
  },
  notes: [
    `  Tokens are read from the environment variable API_TOKENS, origins from CORS_ORIGINS, secrets of webhooks from
  WEBHOOK_<SOURCE>_SECRETS. With these secrets, valid events are sent too, and the backend's handlers process them.`,
  ],
} as const satisfies Usage;
