import type { IncomingMessage } from "node:http";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { type Conditions, readConditionHeaders } from "./conditions.ts";
import { invalidInput } from "./validation.ts";

type Asked = Pick<IncomingMessage, "url" | "headers">;

export interface Page {
  limit: number;
  cursor: string | undefined;
}

/** The page that a request asks for. */
export function readPage({ url }: Pick<Asked, "url">): Page {
  const query = readQuery(url, ["limit", "cursor"]);
  const result = toPage(query.get("limit") ?? undefined, query.get("cursor") ?? undefined);
  if (result.issues) throw invalidInput(result.issues);
  return result.value;
}

/** Validates the query of a list, as a framework has parsed it. A member that is undefined was not sent. */
export function validatePage(query: Record<string, unknown>): StandardSchemaV1.Result<Page> {
  for (const name of Object.keys(query)) {
    if (query[name] === undefined) continue;
    if (name !== "limit" && name !== "cursor") return refuse(name, "is unknown");
    if (Array.isArray(query[name])) return refuse(name, "must not be repeated");
  }
  return toPage(query["limit"], query["cursor"]);
}

/** The options of a creation, from its headers. Query parameters are refused. */
export function readCreation({ url, headers }: Asked) {
  readQuery(url, []);
  return { idempotencyKey: headers["idempotency-key"]?.toString() };
}

/** The conditions of a request for one item. Query parameters are refused. */
export function readConditions(req: Pick<IncomingMessage, "url" | "rawHeaders">): Conditions {
  readQuery(req.url, []);
  return readConditionHeaders(req);
}

/** An id is accepted only as it was returned: one database would also match other spellings of it. */
export const isId = (text: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(text);

export type Creation = ReturnType<typeof readCreation>;

export const unknownCursor = () => invalidInput(refuseCursor().issues);

const refuseCursor = () => refuse("cursor", "must be the nextCursor of an earlier page");

function toPage(limit: unknown = 20, cursor?: unknown): StandardSchemaV1.Result<Page> {
  if (!/^([1-9]\d?|100)$/.test(toText(limit))) return refuse("limit", "must be a whole number from 1 to 100");
  if (cursor !== undefined && !isId(toText(cursor))) return refuseCursor();
  return { value: { limit: Number(limit), cursor: cursor as Page["cursor"] } };
}

/** Some parsers of queries make objects. */
const toText = (value: unknown) => (typeof value === "object" ? "" : String(value));

/** What a schema returns for a value that it refuses. The code is that of the problem. */
function refuse(parameter: string, message: string) {
  return { issues: [{ code: "invalid_query", path: [parameter], message }] };
}

const noQuery = new URLSearchParams();

function readQuery(url = "", known: string[]): URLSearchParams {
  if (!url.includes("?")) return noQuery;
  // Without the ampersand the parser would drop a second question mark.
  const query = new URLSearchParams(url.replace(/^[^?]*\??/, "&"));
  for (const name of query.keys()) {
    if (!known.includes(name)) throw invalidInput(refuse(name, "is unknown").issues);
    if (query.getAll(name).length > 1) throw invalidInput(refuse(name, "must not be repeated").issues);
  }
  return query;
}
