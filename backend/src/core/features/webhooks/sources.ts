import type { WebhookEvent, WebhookSource } from "./source.ts";
import { github } from "./sources/github.ts";
import { slack } from "./sources/slack.ts";
import { standard } from "./sources/standard.ts";
import { stripe } from "./sources/stripe.ts";

/** Each has its own route at `/webhooks`. */
export const sources = {
  github,
  stripe,
  standard,
  slack,
};

export type Source = keyof typeof sources;
export const sourceNames = Object.keys(sources) as Source[];

type Payload<S> = S extends WebhookSource<infer P> ? P : never;

/** A handler for each source. If it throws, it gets the event again later. */
export type Handlers = {
  [S in Source]: (event: WebhookEvent<Payload<(typeof sources)[S]>>) => unknown;
};
