import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import * as v from "valibot";
import { NewItem } from "./item.ts";
import { Problem } from "./problem.ts";

/** What a `GET /items` asks for. */
export function readPage(req: IncomingMessage) {
  const query = readQuery(req, ["limit", "cursor"]);
  const limit = query.get("limit") ?? "20";
  if (!/^([1-9]\d?|100)$/.test(limit)) throw invalidQuery("limit", "must be a whole number from 1 to 100");
  const cursor = query.get("cursor") ?? undefined;
  if (cursor !== undefined && !/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(cursor)) throw unknownCursor();
  return { limit: Number(limit), cursor };
}

/** What a `POST /items` asks for. The headers are judged first: a body that they rule out is never asked for. */
export async function readCreation(req: IncomingMessage, bodyLimit: number) {
  readQuery(req, []);
  const idempotencyKey = req.headers["idempotency-key"]?.toString();
  if (idempotencyKey !== undefined && !/^[!-~]{1,255}$/.test(idempotencyKey))
    throw new Problem("bad_request", "Idempotency-Key must be 1 to 255 visible ASCII characters, sent once.");
  return { item: parseItem(await readJson(req, bodyLimit)), idempotencyKey };
}

export type Page = ReturnType<typeof readPage>;
export type Creation = Awaited<ReturnType<typeof readCreation>>;

export const unknownCursor = () => invalidQuery("cursor", "must be the nextCursor of an earlier page");

function invalidQuery(parameter: string, detail: string): Problem {
  const errors = [{ parameter, detail }];
  return new Problem("invalid_query", `The query parameter "${parameter}" ${detail}.`, { errors });
}

function readQuery(req: IncomingMessage, known: string[]): URLSearchParams {
  // Without the ampersand the parser would drop a second question mark.
  const query = new URLSearchParams(req.url?.replace(/^[^?]*\??/, "&"));
  for (const name of query.keys()) {
    if (!known.includes(name)) throw invalidQuery(name, "is not known here");
    if (query.getAll(name).length > 1) throw invalidQuery(name, "must not be repeated");
  }
  return query;
}

async function readJson(req: IncomingMessage, limit: number): Promise<unknown> {
  const { "content-type": type = "", "content-encoding": encoding } = req.headers;
  const [, charset = "utf-8"] = /;\s*charset="?([^";\s]*)/i.exec(type) ?? [];
  if (!/^application\/json\s*(;|$)/i.test(type) || charset.toLowerCase() !== "utf-8")
    throw new Problem("unsupported_media_type", "Send Content-Type: application/json, in UTF-8.");
  if (encoding !== undefined) throw new Problem("unsupported_media_type", "Send the body without Content-Encoding.");
  const body = await readBody(req, limit);
  if (!isUtf8(body)) throw new Problem("malformed_json", "The body is not valid UTF-8.");
  try {
    return JSON.parse(body.toString());
  } catch (error) {
    throw new Problem("malformed_json", `The body is not valid JSON: ${whatIsWrong(body, (error as Error).message)}.`);
  }
}

/** Past the limit it reads on and throws away: a client that is still sending then sees the answer, not a reset. */
function readBody(req: IncomingMessage, limit: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const tooLarge = new Problem("body_too_large", `The body may have at most ${limit} bytes.`);
  if (Number(req.headers["content-length"]) > limit) throw tooLarge;
  const chunks: Buffer[] = [];
  let size = 0;
  req.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else reject(tooLarge);
  });
  req.on("end", () => resolve(Buffer.concat(chunks)));
  req.on("error", () => reject(new Problem("bad_request", "The body did not arrive whole.")));
  return promise;
}

/** As much as V8's message tells, without the piece of the body that it may quote. */
function whatIsWrong(body: Buffer, message: string): string {
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  if (line) return `see line ${line}, column ${column}`;
  const [, token] = /^Unexpected token '(.+?)'/su.exec(message) ?? [];
  if (token) return `unexpected ${JSON.stringify(token)}`;
  return body.length === 0 ? "it is empty" : "it ends too early";
}

function parseItem(value: unknown): NewItem {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw invalidItem([{ path: [], detail: "must be an object" }]);
  // Without a prototype, a field that bears the name of one of its members is missing when it was not sent.
  const own = { __proto__: null, ...value };
  const { success, output, issues = [] } = v.safeParse(NewItem, own, { abortPipeEarly: true });
  const wrong = issues.map(({ path = [], message }) => ({ path: path.map(({ key }) => key), detail: message }));
  const unknown = Object.keys(value).filter((name) => !Object.hasOwn(NewItem.entries, name));
  if (success && unknown.length === 0) return Object.assign(Object.create(null), output);
  throw invalidItem([...wrong, ...unknown.map((name) => ({ path: [name], detail: "is not a field of an item" }))]);
}

function invalidItem(faults: { path: unknown[]; detail: string }[]): Problem {
  const [summary] = faults.map(({ path, detail }) => `${path.join(".") || "The body"} ${detail}`);
  const errors = faults.map(({ path, detail }) => ({ pointer: ["#", ...path.map(escaped)].join("/"), detail }));
  return new Problem("invalid_item", `${summary}${errors.length > 1 ? "; errors lists all faults" : ""}`, { errors });
}

/** RFC 6901, section 6: a step of a JSON pointer in a URI fragment. */
const escaped = (step: unknown) =>
  encodeURIComponent(String(step).toWellFormed().replaceAll("~", "~0").replaceAll("/", "~1"));
