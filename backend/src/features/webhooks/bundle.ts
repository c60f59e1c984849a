/** What `npm run webhooks` runs, bundled like the backend. */
export const commandEntry = "src/features/webhooks/command.ts";
