import type { BackendKey, SendAnswer } from "../../api.ts";

/** What a backend answered, or why there is no answer. */
export interface Answer {
  backend: BackendKey;
  answer?: SendAnswer;
  failure?: string;
}

/** What answers of a backend offer for other requests: by resource, the id and the ETag of one of it, by their parameters. */
export type Known = Record<string, Record<string, string>>;

export const findResource = (path: string) => path.split("/")[1] ?? "";

/** Keeps what other requests need of what was answered, and forgets what was deleted. */
export function learn(known: Known, { method, path }: { method: string; path: string }, answer: SendAnswer): Known {
  if (answer.status >= 300) return known;
  const resource = findResource(path);
  const { [resource]: _, ...others } = known;
  if (method === "DELETE") return others;
  const id = /^\{"id":"([^"]+)"/.exec(answer.body)?.[1];
  const etag = answer.headers.find(([name]) => name.toLowerCase() === "etag")?.[1];
  return id === undefined
    ? known
    : { ...others, [resource]: { id, ...(etag === undefined ? {} : { "If-Match": etag }) } };
}

/** A body whose references lead to what is there. */
export function fillReferences(example: string, references: Record<string, string>, known: Known): string {
  const ids = Object.entries(references).flatMap(([name, resource]) => {
    const id = known[resource]?.["id"];
    return id === undefined ? [] : [[name, id]];
  });
  return ids.length === 0 ? example : JSON.stringify({ ...JSON.parse(example), ...Object.fromEntries(ids) }, null, 2);
}
