import type { IncomingMessage } from "node:http";
import type { Store } from "../../store/store.ts";
import type { WebhookConfig } from "./config.ts";
import { readDelivery } from "./delivery.ts";
import { type Handlers, type Source, sourceNames, sources } from "./sources.ts";
import { Worker } from "./worker.ts";

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Stores deliveries in the inbox, and passes events from there to the handlers. */
export function createWebhooks(config: WebhookConfig, store: Store) {
  const { inbox } = store;
  const worker = new Worker(inbox, config);
  return {
    sources: sourceNames,
    bodyLimitBytes: config.bodyLimitBytes,

    /** Resolves with the answer to a delivery, once its event is durable. */
    async receive(source: Source, req: IncomingMessage): Promise<{ status: 200 | 202; body: object }> {
      const { answer, ...event } = await readDelivery(sources[source], req, config.keys[source]);
      if (answer) return { status: 200, body: answer };
      const isNew = await inbox.accept({ source, ...event });
      if (isNew) worker.expect();
      return { status: 202, body: { id: event.id } };
    },

    start: (handlers: Handlers) => worker.start(handlers),
    /** Starts no more handlers; resolves when the running ones have ended. */
    stop: () => worker.stop(),
  };
}
