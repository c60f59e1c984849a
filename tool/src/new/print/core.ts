import type { Request } from "../request.ts";

/** The text of `src/core/README.md`: what each part of the core does. */
export function printCoreReadme({ framework, features, fields, resources }: Request): string {
  const all = [...fields, ...resources.flatMap((one) => one.fields)];
  const rules = [
    ...(all.some(({ type }) => type === "ref") ? ["`features/reference-fields/`: items that refer to others."] : []),
    ...(all.some(({ isUnique }) => isUnique) ? ["`features/unique-fields/`: values that only one item may have."] : []),
  ];
  const parts = [
    "`start.ts`: the settings, what an app gets, what a feature in the list of `src/features.ts` may add, and the start of them all, until a signal stops them.",
    `\`http/\`: the server around the app: limits, timeouts, 405, HEAD, OPTIONS, draining. \`server.ts\` comes first.`,
    `\`${framework}/\`: connects the framework: bodies, routes, failures.`,
    "`store/`: the tables of resources. A write returns once it is durable. `migrations.ts` applies the files in `migrations/`.",
    "`resource.ts`: what a resource is, and what requests ask of it: pages (`PageQuery`, or `readPage` for a URL) and idempotency keys (`readCreation`). `fields/`: one file for each type of field.",
    "`problem.ts`: every failure that clients see, and values that a schema of any library refuses (`validate`).",
    "`environment.ts`: reads settings from environment variables. `log.ts`: JSON lines on stdout.",
    ...features.map((feature) => `\`features/${feature}/\`: ${subjects[feature]}`),
    ...rules,
  ];
  return `# The core

What the app in \`src/\` stands on. You may change it; \`dory update\` merges what you changed.

${parts.map((part) => `- ${part}\n`).join("")}
The core imports nothing from the rest of \`src/\`: \`src/main.ts\` passes it what it starts.
`;
}

const subjects: Record<Request["features"][number], string> = {
  auth: "tokens, and the routes that need none.",
  cors: "the pages of other sites that may call this backend.",
  "item-routes": "one item: `ETag`, `If-Match`, merge patches.",
  webhooks: "signed events: checked, stored, and tried again until a handler in `src/webhooks/` succeeds.",
};
