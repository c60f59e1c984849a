import { oneOf, readSettings } from "./core/environment.ts";
import { type CoreParts, coreSettings } from "./core/start.ts";
import { features } from "./features.ts";
import { frameworks } from "./frameworks/names.ts";

export type Config = ReturnType<typeof readConfig>;

/** Reads the environment: the settings of the core and the features, and your own. */
export function readConfig(env: NodeJS.ProcessEnv) {
  return readSettings(env, (read) => ({
    ...coreSettings(read, features),
    framework: read("FRAMEWORK", "hono", oneOf(frameworks)),
  }));
}

/** What the app gets from the core, with your own settings in `config`. */
export type Parts = CoreParts<Config>;
