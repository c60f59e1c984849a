import { compareCosts } from "../exchange.ts";
import { createGet } from "../load.ts";
import type { Measure } from "../measure.ts";

/** What a page costs when there are a thousand times as many items. */
export const growth: Measure = {
  name: "growth",
  title: "Page cost, 1,000,000 items to 1,000",
  unit: "µs/request",
  goal: () => ({ atMost: 1.2 }),
  take: (setting) => {
    const { bundles, prepared } = setting;
    const request = createGet("/items");
    return compareCosts(
      setting,
      { bundle: bundles.backend, env: prepared.large, request },
      { bundle: bundles.backend, env: prepared.small, request },
    );
  },
};

/** What a page costs that comes after a million items. */
export const depth: Measure = {
  name: "depth",
  title: "Page cost, last page to first",
  unit: "µs/request",
  goal: () => ({ atMost: 1.2 }),
  take: (setting) => {
    const { bundles, prepared } = setting;
    return compareCosts(
      setting,
      { bundle: bundles.backend, env: prepared.large, request: createGet(`/items?cursor=${prepared.lastCursor}`) },
      { bundle: bundles.backend, env: prepared.large, request: createGet("/items") },
    );
  },
};
