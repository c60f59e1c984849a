import type { IncomingMessage } from "node:http";
import type { Store } from "../../store/store.ts";
import type { WebhookConfig } from "./config.ts";
import { readDelivery } from "./delivery.ts";
import { type Handlers, type Source, sourceNames, sources } from "./sources.ts";
import { Worker } from "./worker.ts";

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Takes deliveries into the inbox, and gives what is there to the handlers. */
export function createWebhooks(config: WebhookConfig, store: Store) {
  const inbox = store.inbox();
  const worker = new Worker(inbox, config);
  return {
    sources: sourceNames,
    bodyLimitBytes: config.bodyLimitBytes,

    /** What to answer to a request at the route of a source: an event is durable then, and will be handled. */
    async receive(source: Source, req: IncomingMessage): Promise<{ status: 200 | 202; body: object }> {
      const { answer, ...event } = await readDelivery(sources[source], req, config.keys[source]);
      if (answer) return { status: 200, body: answer };
      const isNew = await inbox.accept({ source, ...event });
      if (isNew) worker.expect();
      return { status: 202, body: { id: event.id } };
    },

    start: (handlers: Handlers) => worker.start(handlers),
    /** Begins nothing more; resolves when the handlers under way have ended. */
    stop: () => worker.stop(),
  };
}
