// What this backend does with the events that it receives.

import type { Parts } from "../config.ts";
import type { GithubEvent } from "../core/features/webhooks/sources/github.ts";
import type { SlackEvent } from "../core/features/webhooks/sources/slack.ts";
import type { StandardEvent } from "../core/features/webhooks/sources/standard.ts";
import type { StripeEvent } from "../core/features/webhooks/sources/stripe.ts";
import type { Handlers } from "../core/features/webhooks/sources.ts";
import { log } from "../core/log.ts";

/**
 * Handles events. If a handler throws, it gets the event again later. It may also get a handled event again, after a
 * crash for example: the id is the same.
 */
export function webhookHandlers(_parts: Parts): Handlers {
  return {
    // GitHub signs neither `id` nor `type`: a captured delivery can come again with others. Rely on the payload.
    async github({ id, type }: GithubEvent) {
      log("info", "event from GitHub", { id, type });
    },
    async stripe({ id, type }: StripeEvent) {
      log("info", "event from Stripe", { id, type });
    },
    async standard({ id, type }: StandardEvent) {
      log("info", "event from a Standard Webhooks sender", { id, type });
    },
    async slack({ id, type }: SlackEvent) {
      log("info", "event from Slack", { id, type });
    },
  };
}
