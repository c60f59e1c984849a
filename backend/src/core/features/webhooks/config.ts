import { integer, list, type Read } from "../../environment.ts";
import { type Source, sourceNames, sources } from "./sources.ts";

export type WebhookConfig = ReturnType<typeof readWebhookConfig>;

export function readWebhookConfig(read: Read) {
  const readKeys = (source: Source) => {
    const name = `WEBHOOK_${source.toUpperCase()}_SECRETS`;
    return [source, read(name, undefined, list(sources[source].secret))] as const;
  };
  return {
    keys: Object.fromEntries(sourceNames.map(readKeys)) as Record<Source, Buffer[]>,
    bodyLimitBytes: read("WEBHOOK_BODY_LIMIT_BYTES", "1048576", integer(1)),
    handlerTimeoutMs: read("WEBHOOK_HANDLER_TIMEOUT_MS", "30000", integer(1)),
    retryMs: read("WEBHOOK_RETRY_MS", "5000", integer(0)),
    keepDays: read("WEBHOOK_KEEP_DAYS", "30", integer(1)),
  };
}
