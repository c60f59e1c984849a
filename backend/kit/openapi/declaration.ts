import type { Declares } from "../../src/core/http/routes.ts";

/** What a route declares, in schemas of any library. */
export interface Declaration extends Declares {
  /** The media type of the body, if it is not JSON. */
  bodyType?: string | undefined;
  /** The schemas of the body and of answers that have one for each media type. */
  content?: { body?: ByType | undefined; answers?: Record<string, ByType> } | undefined;
  /** Whether a request may come without a body. */
  isBodyOptional?: boolean;
  /** The status for a body that does not match, if it is not 400. */
  refusal?: number | undefined;
  /** The same for parameters. */
  parameterRefusal?: number | undefined;
  cookies?: unknown;
  /** What its owner says about it for people. */
  text?: Text;
  /** Whether it is no part of the API: its owner or its plugin hides it, or it takes only WebSockets. */
  isHidden?: boolean | undefined;
}

/** Schemas by media type. */
export type ByType<Schema = unknown> = Record<string, Schema>;

/** Members of an operation in OpenAPI. */
export interface Text {
  summary?: string;
  description?: string;
  tags?: string[];
  operationId?: string;
  deprecated?: boolean;
}

/** These members of an object that may have others. */
export function pickText(from: object = {}): Text {
  const { summary, description, tags, operationId, deprecated } = from as Text;
  const members = Object.entries({ summary, description, tags, operationId, deprecated });
  return Object.fromEntries(members.filter(([, value]) => value !== undefined));
}

/** What the marks on a route's handlers declare. */
export function declaredBy(handlers: unknown): Declaration {
  const marks = (handlers as { declares?: Declaration }[]).flatMap(({ declares }) => declares ?? []);
  const answers = Object.assign({}, ...marks.map((mark) => mark.answers));
  return Object.assign({ refusal: 422 }, ...marks, { answers });
}
