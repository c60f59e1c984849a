/** What `npm run webhooks` runs, bundled like the backend. */
export const commandEntry = { in: "src/features/webhooks/command.ts", out: "webhooks" };
