import type { IncomingMessage } from "node:http";
import { Problem, problemOf } from "../../problem.ts";

/** What a request demands of the item as it is stored: lists of entity tags, `*` for any. */
export interface Conditions {
  match: string[] | undefined;
  noneMatch: string[];
}

/** The headers of conditions, and of what they are about. */
export const conditionHeaders = ["If-Match", "If-None-Match"];
export const itemHeaders = ["ETag", "Location"];

/** Reads them as they were sent: `headers` lacks an `If-None-Match` that names any item. */
export function conditionsIn({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): Conditions {
  const match = sentIn(rawHeaders, "if-match");
  const noneMatch = sentIn(rawHeaders, "if-none-match")?.trim() ?? "";
  return {
    match: match === undefined ? undefined : readTags(match),
    noneMatch: noneMatch === "*" ? ["*"] : (noneMatch.match(/"[^"]*"/g) ?? []),
  };
}

/** Refuses a change of an item that is not as the client knows it. Without a condition no change is made. */
export function expectKnown(conditions: Conditions, tag: string): void {
  if (!conditions.match) throw preconditionRequired();
  expectMatch(conditions, tag);
  if (isAmong(conditions.noneMatch, tag)) throw preconditionFailed();
}

/** A weak tag is spelled otherwise, and therefore never matches here (RFC 9110, section 13.1.1). */
export function expectMatch({ match }: Conditions, tag: string): void {
  if (match && !isAmong(match, tag)) throw preconditionFailed();
}

/** Whether the client has the item already. */
export const isCached = ({ noneMatch }: Conditions, tag: string) => isAmong(noneMatch, tag);

const isAmong = (tags: string[], tag: string) => tags.includes(tag) || tags.includes("*");

export const preconditionFailed = () =>
  problemOf(412, "The item is not as If-Match says. Read it again, and repeat the change if it still makes sense.");

export const preconditionRequired = () =>
  problemOf(428, "Send If-Match with the ETag of the item as you read it, so that no change of others is lost.");

function sentIn(rawHeaders: string[], name: string): string | undefined {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  return values.length > 0 ? values.join() : undefined;
}

/** RFC 9110, section 8.8.3: what a tag is made of. Elements of a list may be empty, but not all. */
function readTags(value: string): string[] {
  if (value.trim() === "*") return ["*"];
  if (listOfTags.test(value)) return value.match(tags) ?? [];
  throw new Problem("bad_request", 'If-Match must be *, or entity tags like "x", separated by commas.');
}

const tags = /(?:W\/)?"[!#-~\x80-\xff]*"/g;
const listOfTags = new RegExp(`^[\\s,]*${tags.source}(?:\\s*,[\\s,]*(?:${tags.source}|$))*\\s*$`);
