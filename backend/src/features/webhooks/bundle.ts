/** What `npm run webhooks` runs, bundled as the backend is. */
export const commandEntry = "src/features/webhooks/command.ts";
