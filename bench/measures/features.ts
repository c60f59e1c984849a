import { type Compare, compareCpu, compareRates } from "../exchange.ts";
import { getting } from "../load.ts";
import type { Measure, Setting } from "../measure.ts";
import { tellsCpu } from "../server.ts";

const request = getting("/items");

/** A page of a backend that has every feature, against one that has none, on the same database. */
const take = (compare: Compare) => (setting: Setting) => {
  const { bundles, prepared } = setting;
  return compare(
    setting,
    { bundle: bundles.backend, env: prepared.full, request },
    { bundle: bundles.project, env: prepared.full, request },
  );
};

const byClock: Measure = {
  name: "features",
  title: "GET /items with every feature, to none",
  unit: "requests/s",
  goal: () => ({ atLeast: 0.8 }),
  take: take(compareRates),
};

const byCpu: Measure = {
  ...byClock,
  name: "featuresCpu",
  title: "the same, by processor time",
  unit: "requests/CPU s",
  take: take(compareCpu),
};

export const features: Measure[] = tellsCpu ? [byClock, byCpu] : [byClock];
