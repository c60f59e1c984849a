import type { Application } from "./application.ts";
import type { Release } from "./release.ts";
import type { Secrets } from "./secrets.ts";
import type { Driver } from "./target.ts";

/** What a plan depends on. */
export interface Facts {
  application: Application;
  /** What the target is at this moment: the same name may lead to another machine or cluster later. */
  place: (string | null)[];
  releases: Release[];
  /** The values of each service, by its name. */
  secrets: Record<string, Secrets>;
}

/** Throws if these are not the facts of a plan. */
export type Confirm = (facts: Facts) => Promise<void>;

export function collectFacts(
  { place, host }: Driver,
  application: Application,
  releases: Release[],
  secrets: Facts["secrets"],
): Facts {
  return { application, place: [place ?? null, host ?? null], releases, secrets };
}
