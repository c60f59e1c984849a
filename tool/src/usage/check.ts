import type { Usage } from "../flags.ts";

/** How `dory check` is called. */
export const checkUsage = {
  command: "check",
  summary: "check a running one against the contract",
  call: "URL",
  atMost: 1,
  flags: {
    openapi: {
      type: "string",
      value: "FILE",
      help: "the openapi.json that describes the backend, or the dory.json beside it (default: items with a name)",
    },
    json: { type: "boolean", help: "print one JSON result" },
  },
  notes: [
    `  Tokens are read from the environment variable API_TOKENS, origins from CORS_ORIGINS, secrets of webhooks from
  WEBHOOK_<SOURCE>_SECRETS: with these, the backend is also sent events that it accepts, and its handlers get them.`,
  ],
} as const satisfies Usage;
