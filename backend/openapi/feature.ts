import type { Route } from "../src/http/routes.ts";
import type { Problem } from "../src/problem.ts";

/** What a part of the backend adds to the description of all operations. */
export interface Feature {
  /** Headers of every answer. */
  headers?: Record<string, object>;
  /** What is asked of every request, and the answers where it is missing. */
  guard?: Guard;
}

interface Guard {
  securitySchemes: Record<string, object>;
  problems: Problem[];
  /** Whether it is not asked of a route. */
  isLifted(route: Route): boolean;
}

/** What there is without any feature. */
export const core: Feature = {
  headers: {
    "X-Request-Id": {
      description: "As it was sent, or a new one; the log has it too",
      schema: { type: "string" },
    },
  },
};

export function guardsOf(features: Feature[]): Guard[] {
  return features.flatMap(({ guard }) => guard ?? []);
}

export function headersOf(features: Feature[]): Record<string, object> {
  return Object.assign({}, ...features.map(({ headers }) => headers ?? {}));
}
