import type { Sender } from "./sender.ts";
import { github } from "./senders/github.ts";
import { slack } from "./senders/slack.ts";
import { standard } from "./senders/standard.ts";
import { stripe } from "./senders/stripe.ts";

export const senders: Record<string, Sender> = {
  github,
  stripe,
  standard,
  slack,
};

/** The backend's secrets for a source: those of one that runs already, or visibly fake ones. */
export function readSecrets({ variable, fakes }: Sender): string[] {
  return process.env[variable]?.split(",") ?? fakes.slice(0, 2);
}

/** The environment of a backend that is started here. */
export const webhookSecrets = Object.fromEntries(
  Object.values(senders).map((sender) => [sender.variable, readSecrets(sender).join()]),
);
