/** What `npm run webhooks` runs, bundled like the backend. */
export const commandEntry = { in: "src/core/features/webhooks/command.ts", out: "webhooks" };
