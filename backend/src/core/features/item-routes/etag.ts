import { hash } from "node:crypto";

/** The strong entity tag of an item: the same for all JSON texts with equal values, from either database. */
export function toEtag(item: string): string {
  const members = Object.entries(JSON.parse(item)).sort(([one], [other]) => (one < other ? -1 : 1));
  return `"${hash("sha256", JSON.stringify(members), "base64url")}"`;
}

/** The headers of a new item: its URL, which is below the one that created it, and its tag. */
export function headersOfNew(url: string | undefined, item: string) {
  const [path] = (url ?? "").split("?", 1);
  return { Location: `${path}/${JSON.parse(item).id}`, ETag: toEtag(item) };
}
