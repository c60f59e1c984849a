import { compareRates } from "../exchange.ts";
import { createGet } from "../load.ts";
import type { Measure } from "../measure.ts";

const request = createGet("/items");

/** A page from a database, compared with the same bytes from a minimal app in the framework without our server. */
export const pageInBareApp: Measure = {
  name: "pageInBareApp",
  title: "GET /items, to a bare app with a constant page",
  unit: "requests/s",
  goal: () => undefined,
  take: (setting) => {
    const { bundles, prepared } = setting;
    return compareRates(
      setting,
      { bundle: bundles.backend, env: prepared.full, request },
      { bundle: bundles.constant, env: { PAGE_FILE: prepared.pageFile }, request },
    );
  },
};

/** A page from a database, compared with the same bytes from the same app with a store in memory. */
export const page: Measure = {
  name: "page",
  title: "GET /items, to a constant page",
  unit: "requests/s",
  goal: () => ({ atLeast: 0.75 }),
  take: (setting) => {
    const { bundles, prepared } = setting;
    return compareRates(
      setting,
      { bundle: bundles.backend, env: prepared.full, request },
      { bundle: bundles.constantStore, env: prepared.full, request },
    );
  },
};
