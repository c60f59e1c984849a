import assert from "node:assert/strict";
import type { Reply } from "../wire.ts";

/** The headers of requests for one item, and of answers with one. */
export const conditionHeaders = ["if-match", "if-none-match"];
export const tagHeaders = ["etag", "location"];

/** Whether an answer is an item with its ETag, and with its Location if it is new. */
export function isTagged({ status, headers, body }: Reply): boolean {
  const { etag, location: place = "" } = headers;
  // Plugins of an owner set an ETag, too, but no Location.
  if (status === 201 ? place === "" : etag === undefined) return false;
  const { id } = JSON.parse(body);
  if (id === undefined) return false;
  assert.match(etag ?? "", /^"[!#-~]+"$/, "ETag");
  assert.ok(status === 201 ? place.endsWith(`/${id}`) : place === "", `Location: ${place}`);
  return true;
}

/** Removes the headers of an item from a list of headers, which must contain them. */
export function takeTags(headers: Reply["headers"], name: string): void {
  const listed = headers[name]?.toLowerCase().split(/, */) ?? [];
  for (const tag of tagHeaders) assert.ok(listed.includes(tag), `${tag} in ${name}`);
  headers[name] = listed.filter((one) => !tagHeaders.includes(one)).join();
}
