import type { IncomingMessage } from "node:http";
import { type Conditions, conditionsIn } from "./conditions.ts";
import { Problem } from "./problem.ts";

type Asked = Pick<IncomingMessage, "url" | "headers">;

/** The page that a request asks for. */
export function readPage({ url }: Pick<Asked, "url">) {
  const query = readQuery(url, ["limit", "cursor"]);
  const limit = query.get("limit") ?? "20";
  if (!/^([1-9]\d?|100)$/.test(limit)) throw invalidQuery("limit", "must be a whole number from 1 to 100");
  const cursor = query.get("cursor") ?? undefined;
  if (cursor !== undefined && !isId(cursor)) throw unknownCursor();
  return { limit: Number(limit), cursor };
}

/** The options of a creation, from its headers. Query parameters are refused. */
export function readCreation({ url, headers }: Asked) {
  readQuery(url, []);
  return { idempotencyKey: headers["idempotency-key"]?.toString() };
}

/** The conditions of a request for one item. Query parameters are refused. */
export function readConditions(req: Pick<IncomingMessage, "url" | "rawHeaders">): Conditions {
  readQuery(req.url, []);
  return conditionsIn(req);
}

/** An id is accepted only as it was returned: one database would also match other spellings of it. */
export const isId = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

export type Page = ReturnType<typeof readPage>;
export type Creation = ReturnType<typeof readCreation>;

export const unknownCursor = () => invalidQuery("cursor", "must be the nextCursor of an earlier page");

function invalidQuery(parameter: string, detail: string): Problem {
  const errors = [{ parameter, detail }];
  return new Problem("invalid_query", `The query parameter "${parameter}" ${detail}.`, { errors });
}

const noQuery = new URLSearchParams();

function readQuery(url = "", known: string[]): URLSearchParams {
  if (!url.includes("?")) return noQuery;
  // Without the ampersand the parser would drop a second question mark.
  const query = new URLSearchParams(url.replace(/^[^?]*\??/, "&"));
  for (const name of query.keys()) {
    if (!known.includes(name)) throw invalidQuery(name, "is unknown");
    if (query.getAll(name).length > 1) throw invalidQuery(name, "must not be repeated");
  }
  return query;
}
