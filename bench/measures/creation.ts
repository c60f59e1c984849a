import { compareRates } from "../exchange.ts";
import { createPost } from "../load.ts";
import type { Measure } from "../measure.ts";

const request = createPost("/items", JSON.stringify({ name: "Item number 00000000" }));

/** Creations that share transactions, compared with one transaction each, on databases that start empty. */
export const creation: Measure = {
  name: "creation",
  title: "POST /items, to a transaction each",
  unit: "requests/s",
  goal: () => ({ atLeast: 2 }),
  take: (setting) => {
    const { bundles, data } = setting;
    return compareRates(
      setting,
      { bundle: bundles.backend, env: data.createEmpty("shared.db"), request },
      { bundle: bundles.oneByOne, env: data.createEmpty("one-by-one.db"), request },
    );
  },
};
