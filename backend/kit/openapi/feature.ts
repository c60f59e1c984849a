import type { Route } from "../../src/core/http/routes.ts";
import type { Problem } from "../../src/core/problem.ts";
import type { Place } from "./templates.ts";

/** What a feature adds to the description of operations. */
export interface Feature {
  /** Headers of every answer. */
  headers?: Record<string, object>;
  /** What every request needs, and the answers if it is missing. */
  guard?: Guard;
  /** The operations of its own routes, their tag, and their additional problems. */
  operationAt?(place: Place, shared: Shared): Operation | undefined;
  tag?: string;
  problems?: Problem[];
}

export type Operation = Record<string, unknown>;

/** What operations have in common. */
export interface Shared {
  /** The headers of every answer. */
  headers: object;
  /** What a request needs, if a feature asks for something. */
  security: { security?: object[] };
  /** The statuses of the answers if that is missing. */
  refusals: number[];
  /** The statuses of all problems that are described. */
  possible: number[];
}

interface Guard {
  securitySchemes: Record<string, object>;
  problems: Problem[];
  /** Whether a route does not need it. */
  isLifted(route: Route): boolean;
}

/** The description without any feature. */
export const core: Feature = {
  headers: {
    "X-Request-Id": {
      description: "The id that was sent, or a new one; it is also in the log",
      schema: { type: "string" },
    },
  },
};

export function listGuards(features: Feature[]): Guard[] {
  return features.flatMap(({ guard }) => guard ?? []);
}

export function mergeHeaders(features: Feature[]): Record<string, object> {
  return Object.assign({}, ...features.map(({ headers }) => headers ?? {}));
}
