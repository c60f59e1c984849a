import { compareBothWays } from "../both.ts";
import { createGet } from "../load.ts";

const request = createGet("/items");

/** A page of a backend with every feature, compared with one without, on the same database. */
export const features = compareBothWays({
  name: "features",
  title: "GET /items with every feature",
  to: "none",
  goal: () => ({ atLeast: 0.8 }),
  find: ({ bundles, prepared }) => [
    { bundle: bundles.backend, env: prepared.full, request },
    { bundle: bundles.project, env: prepared.full, request },
  ],
});
