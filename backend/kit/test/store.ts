import { has, load } from "../project.ts";

type Stores = typeof import("../../src/core/store/open.ts");

/** The module that creates stores: with a single database, that database's own. */
const path = ["open", "sqlite", "postgres"].map((name) => `src/core/store/${name}.ts`).find(has) ?? "";

export const loadStores = () => load<Stores>(path);
