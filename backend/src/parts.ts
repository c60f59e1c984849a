import type { Config } from "./config.ts";
import type { CoreParts } from "./core/parts.ts";

/** What the app gets from the core, with your own settings in `config`. */
export type Parts = CoreParts<Config>;
