import type { IncomingMessage } from "node:http";
import * as v from "valibot";
import { NewItem } from "./item.ts";
import { readJson } from "./json.ts";
import { readQuery } from "./page.ts";
import { Problem } from "./problem.ts";

export interface Creation {
  item: NewItem;
  idempotencyKey: string | undefined;
}

/** What a `POST /items` asks for. */
export async function readCreation(req: IncomingMessage, bodyLimit: number): Promise<Creation> {
  readQuery(req, []);
  const idempotencyKey = readIdempotencyKey(req);
  return { item: parseItem(await readJson(req, bodyLimit)), idempotencyKey };
}

function readIdempotencyKey({ headers }: IncomingMessage): string | undefined {
  const key = headers["idempotency-key"]?.toString();
  if (key === undefined || /^[!-~]{1,255}$/.test(key)) return key;
  throw new Problem("bad_request", "Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.");
}

function parseItem(value: unknown): NewItem {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidItem([[[], "must be an object"]]);
  const { success, output, issues } = v.safeParse(NewItem, value, { abortPipeEarly: true });
  const wrong = issues?.map(({ path, message }): Fault => [path?.map(({ key }) => key) ?? [], message]) ?? [];
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(NewItem.entries, name));
  if (!success || unknown.length > 0)
    throw invalidItem([...wrong, ...unknown.map((name): Fault => [[name], "is not a field of an item"])]);
  return output;
}

type Fault = [path: unknown[], detail: string];

function invalidItem(faults: Fault[]): Problem {
  const [[path, detail] = [[], "is not an item"], ...others] = faults;
  const more = others.length > 0 ? ` (and ${others.length} more)` : "";
  return new Problem(
    "invalid_item",
    `${path.join(".") || "The body"} ${detail}${more}`,
    faults.map(([path, detail]) => ({ pointer: pointer(path), detail })),
  );
}

/** RFC 6901, section 6: a JSON pointer as a URI fragment. */
function pointer(path: unknown[]): string {
  return ["#", ...path.map((step) => encodeURIComponent(escapeStep(String(step))))].join("/");
}

function escapeStep(step: string): string {
  return step.toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1");
}
