import type { Declaration } from "./declaration.ts";

const { FRAMEWORK: framework = "hono" } = process.env;

/** Reads what a route declares, in the framework that `FRAMEWORK` names. */
export const { readRoute }: { readRoute(definition: unknown): Declaration } = await import(
  `./frameworks/${framework}/route.ts`
);
