import { sourceDescriptions } from "../descriptions.ts";
import type { Request } from "../request.ts";
import { secretsVariable, sourceInfo } from "../webhooks.ts";

/** The part of the README about webhooks. */
export function printWebhooks({ name, application, framework, database, webhooks }: Request): string {
  const [first = "github"] = webhooks;
  const rows = webhooks.map((source) => {
    const { title } = sourceDescriptions[source];
    const { origin } = sourceInfo[source];
    return `- ${title}: \`POST /webhooks/${source}\`, \`${secretsVariable(source)}\` (${origin})\n`;
  });
  const command = application === undefined ? "npm run webhooks" : `npm run webhooks ${name}`;
  const line = (words: string, comment: string) => `${`${command}${words}`.padEnd(33)} # ${comment}`;
  const inside = application === undefined ? `docker exec ${name}` : `docker compose exec ${name}`;
  return `## Webhooks

${rows.join("")}
An event must be signed with one of the secrets in its variable, otherwise the answer is 401 \`invalid_signature\` and nothing is stored.
To replace a secret, keep both valid for a while: \`${secretsVariable(first)}=new,old\`. An event is answered with 202 once it is
in the database, also if it was delivered before, and is then passed to its handler in \`src/webhooks/handlers.ts\`:

\`\`\`ts
    async ${first}({ id, type, payload, signal }: ${first.charAt(0).toUpperCase()}${first.slice(1)}Event) {
      // process the event
    },
\`\`\`

${framework === "nest" ? "`webhookHandlers(_parts: Parts, app: INestApplication)` gets services from Nest: `app.get(ItemsService)`.\n\n" : ""}Each event is handled at least once, by one handler at a time${database === "sqlite" ? "" : ", also with several replicas"}, unless a handler goes on after its \`signal\` was aborted. If it throws, or takes longer than
\`WEBHOOK_HANDLER_TIMEOUT_MS\` (then \`signal\` is aborted), it gets the event again: after \`WEBHOOK_RETRY_MS\`, and after pauses that double, 15
times within a day. After that the event is parked, never dropped. A stop waits for the handlers that are running. A handled
event is known for \`WEBHOOK_KEEP_DAYS\`, so that a repeated delivery is not handled again.

\`\`\`sh
${application === undefined ? "" : "cd ..\n"}${line("", "what is parked, and why")}
${line(" show 17", "one of them, with its body")}
${line(" retry 17", "or: retry all")}
${command} drop 17
${inside} /nodejs/bin/node webhooks.cjs      # the same in a container${application === undefined ? " of that name" : ""}
\`\`\`

`;
}
