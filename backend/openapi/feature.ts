import type { Route } from "../src/http/routes.ts";
import type { Problem } from "../src/problem.ts";
import type { Place } from "./templates.ts";

/** What a part of the backend adds to the description of all operations. */
export interface Feature {
  /** Headers of every answer. */
  headers?: Record<string, object>;
  /** What is asked of every request, and the answers where it is missing. */
  guard?: Guard;
  /** The operations of its own routes, the tag that they share, and how they fail in ways of their own. */
  operationAt?(place: Place, shared: Shared): Operation | undefined;
  tag?: string;
  problems?: Problem[];
}

export type Operation = Record<string, unknown>;

/** What an operation has in common with others. */
export interface Shared {
  /** Those of every answer. */
  headers: object;
  /** What is asked of a request, where anything is asked of any. */
  security: { security?: object[] };
  /** The statuses of the answers where that is missing. */
  refusals: number[];
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
