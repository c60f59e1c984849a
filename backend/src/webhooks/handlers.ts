import type { GithubEvent } from "../features/webhooks/sources/github.ts";
import type { SlackEvent } from "../features/webhooks/sources/slack.ts";
import type { StandardEvent } from "../features/webhooks/sources/standard.ts";
import type { StripeEvent } from "../features/webhooks/sources/stripe.ts";
import type { Handlers } from "../features/webhooks/sources.ts";
import { log } from "../log.ts";
import type { Parts } from "../parts.ts";

/**
 * What is done about events. If a handler throws, it gets the event again later. It may also get one again that it has
 * handled, after a crash for example: the id is the same.
 */
export function webhookHandlers(_parts: Parts): Handlers {
  return {
    async github({ id, type }: GithubEvent) {
      log("info", "an event of GitHub", { id, type });
    },
    async stripe({ id, type }: StripeEvent) {
      log("info", "an event of Stripe", { id, type });
    },
    async standard({ id, type }: StandardEvent) {
      log("info", "an event", { id, type });
    },
    async slack({ id, type }: SlackEvent) {
      log("info", "an event of Slack", { id, type });
    },
  };
}
