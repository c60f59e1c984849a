import type { IncomingMessage } from "node:http";
import { Problem } from "./problem.ts";

export interface Page {
  limit: number;
  cursor: string | undefined;
}

/** Which page a `GET /items` asks for. */
export function readPage(req: IncomingMessage): Page {
  const query = readQuery(req, ["limit", "cursor"]);
  const limit = query.get("limit") ?? "20";
  if (!/^([1-9]\d?|100)$/.test(limit)) throw invalidQuery("limit", "must be a whole number from 1 to 100");
  const cursor = query.get("cursor") ?? undefined;
  if (cursor !== undefined && !isItemId(cursor)) throw unknownCursor();
  return { limit: Number(limit), cursor };
}

/** The query as it was sent: a parameter that the route does not know, or one given twice, is refused. */
export function readQuery(req: IncomingMessage, known: string[]): URLSearchParams {
  const [, search] = /\?(.*)/s.exec(req.url ?? "") ?? [];
  // The parser would drop a second question mark at the start.
  const query = new URLSearchParams(`&${search ?? ""}`);
  for (const name of query.keys()) {
    if (!known.includes(name)) throw invalidQuery(name, "is not known here");
    if (query.getAll(name).length > 1) throw invalidQuery(name, "must not be repeated");
  }
  return query;
}

export const unknownCursor = () => invalidQuery("cursor", "must be the nextCursor of an earlier page");

function invalidQuery(parameter: string, detail: string): Problem {
  return new Problem("invalid_query", `The query parameter "${parameter}" ${detail}.`, [{ parameter, detail }]);
}

function isItemId(cursor: string): boolean {
  return /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(cursor);
}
