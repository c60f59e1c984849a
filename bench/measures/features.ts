import { compareBothWays } from "../both.ts";
import { createGet } from "../load.ts";

const request = createGet("/items");

/** A page of a backend with every feature, compared with one without, on the same database. */
export const features = compareBothWays({
  name: "features",
  titles: ["GET /items with every feature, to none", "the same, by CPU time"],
  goal: () => ({ atLeast: 0.8 }),
  take: (setting, compare) => {
    const { bundles, prepared } = setting;
    return compare(
      setting,
      { bundle: bundles.backend, env: prepared.full, request },
      { bundle: bundles.project, env: prepared.full, request },
    );
  },
});
