import { join } from "node:path";

/** The folder of the project that this file is a part of. */
export const root = join(import.meta.dirname, "..");
