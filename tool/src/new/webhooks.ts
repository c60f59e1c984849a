import type { Source } from "./request.ts";

/** The environment variable that holds the secrets of a source. */
export const secretsVariable = (source: Source) => `WEBHOOK_${source.toUpperCase()}_SECRETS`;

interface SourceInfo {
  /** Where its secrets come from. */
  origin: string;
  /** A secret as the source would make it, from 64 random hexadecimal digits. */
  secret(random: string): string;
}

/** How a source is described to people. */
export const sourceInfo: Record<Source, SourceInfo> = {
  github: {
    origin: "what you typed as the webhook's secret, at least 16 characters; its content type must be application/json",
    secret: (random) => random,
  },
  stripe: {
    origin: "the endpoint's signing secret, whsec_…",
    secret: (random) => `whsec_${random}`,
  },
  standard: {
    origin: "the sender's secret, whsec_ and base64",
    secret: (random) => `whsec_${Buffer.from(random, "hex").toString("base64")}`,
  },
  slack: {
    origin: "the app's signing secret",
    secret: (random) => random.slice(0, 32),
  },
};
