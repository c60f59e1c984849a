import type { IncomingMessage } from "node:http";
import { createProblem, Problem } from "./problem.ts";

/** The conditions of a request on the stored item: lists of entity tags, `*` for any. */
export interface Conditions {
  match: string[] | undefined;
  noneMatch: string[];
}

/** Reads the raw headers: Node joins repeated ones. */
export function readConditionHeaders({ rawHeaders }: Pick<IncomingMessage, "rawHeaders">): Conditions {
  const match = findHeader(rawHeaders, "if-match");
  const noneMatch = findHeader(rawHeaders, "if-none-match")?.trim() ?? "";
  return {
    match: match === undefined ? undefined : readTags(match),
    noneMatch: noneMatch === "*" ? ["*"] : (noneMatch.match(/"[^"]*"/g) ?? []),
  };
}

/** Refuses a change without `If-Match`, and one of an item that has changed since the client read it. */
export function expectKnown(conditions: Conditions, tag: string): void {
  if (!conditions.match) throw preconditionRequired();
  expectMatch(conditions, tag);
  if (isAmong(conditions.noneMatch, tag)) throw preconditionFailed();
}

/** A weak tag begins with `W/`, and therefore never matches here (RFC 9110, section 13.1.1). */
export function expectMatch({ match }: Conditions, tag: string): void {
  if (match && !isAmong(match, tag)) throw preconditionFailed();
}

/** Whether the client already has the item. */
export const isCached = ({ noneMatch }: Conditions, tag: string) => isAmong(noneMatch, tag);

const isAmong = (tags: string[], tag: string) => tags.includes(tag) || tags.includes("*");

export const preconditionFailed = () =>
  createProblem(
    412,
    "The item has changed since you read it. Read it again, and repeat the change if it is still wanted.",
  );

export const preconditionRequired = () =>
  createProblem(
    428,
    "Send If-Match with the ETag of the item, so that you do not overwrite a change by another client.",
  );

function findHeader(rawHeaders: string[], name: string): string | undefined {
  const values = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === name);
  return values.length > 0 ? values.join() : undefined;
}

/** RFC 9110, section 8.8.3: the syntax of a tag. Elements of a list may be empty, but not all. */
function readTags(value: string): string[] {
  if (value.trim() === "*") return ["*"];
  if (listOfTags.test(value)) return value.match(tags) ?? [];
  throw new Problem("bad_request", 'If-Match must be *, or entity tags like "x", separated by commas.');
}

const tags = /(?:W\/)?"[!#-~\x80-\xff]*"/g;
const listOfTags = new RegExp(`^[\\s,]*${tags.source}(?:\\s*,[\\s,]*(?:${tags.source}|$))*\\s*$`);
