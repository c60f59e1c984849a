import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Problem } from "../problem.ts";

/** Sets the id of a request: the client's own, if a log may contain it. */
export function identify(req: IncomingMessage): string {
  const sent = req.headers["x-request-id"]?.toString();
  if (sent && /^[\w.:-]{1,128}$/.test(sent)) return sent;
  const id = randomUUID();
  replaceHeader(req, "x-request-id", id);
  return id;
}

/** Brings a request into a form that all frameworks read in the same way; returns the problem if they would disagree. */
export function normalise(req: IncomingMessage): Problem | undefined {
  const { headers, httpVersion } = req;
  const hosts = countOf(req, "host");
  if (httpVersion === "1.0" ? hosts > 1 : httpVersion !== "1.1" || hosts !== 1)
    return new Problem("bad_request", "Use HTTP/1.1 and send one Host header.");
  if (!headers.host) replaceHeader(req, "host", "localhost");
  else if (!isAuthority(headers.host)) return new Problem("bad_request", "The Host header names no valid host.");
  const { "transfer-encoding": coding } = headers;
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return new Problem("bad_request", "The only Transfer-Encoding that is read here is chunked.");
  // Answers without a validator match nothing, yet some frameworks say 304 to `*`.
  if (headers["if-none-match"] === "*") delete headers["if-none-match"];
  return req.url?.startsWith("/") ? undefined : readAbsolute(req);
}

/** How often a header was sent: of some headers, Node keeps only the first. */
export function countOf({ rawHeaders }: IncomingMessage, header: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === header.length && name.toLowerCase() === header) count++;
  }
  return count;
}

/** RFC 9112, section 3.2.2: a server also takes the absolute form of a target. */
function readAbsolute(req: IncomingMessage): Problem | undefined {
  const [, authority, rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(req.url ?? "") ?? [];
  if (authority === undefined) return undefined;
  if (!isAuthority(authority)) return new Problem("bad_request", "The request target names no valid host.");
  req.url = rest.startsWith("/") ? rest : `/${rest}`;
  return undefined;
}

let lastAuthority = "";

/** The host of most requests is that of the one before. */
function isAuthority(host: string): boolean {
  if (host === lastAuthority) return true;
  const parts = /^(?:[\w.~!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(host);
  const isValid = parts !== null && Number(parts[1] ?? 0) <= 65_535 && URL.canParse(`http://${host}`);
  if (isValid) lastAuthority = host;
  return isValid;
}

/** Whether all routers read a path alike: no empty or dot segment, no needless or malformed encoding. */
export function isPlainPath(path: string): boolean {
  if (plain.test(path)) return true;
  return !dots.test(path) && encoded.test(path) && path.split("/").every(isEncodedOnce);
}

const plain = /^(\/|(\/(?!\.{1,2}(\/|$))[\w.~!$&'()*+,;=:@-]+)+)$/;
const dots = /\/\.{1,2}(\/|$)/;
const encoded = /^(\/([\w.~!$&'()*+,;=:@-]|%[\dA-F]{2})+)+$/i;

/** What is encoded must be UTF-8, no separator or control character, and something that needs it. */
function isEncodedOnce(segment: string): boolean {
  try {
    const text = decodeURIComponent(segment);
    const decoded = [...segment.matchAll(/(%[\dA-F]{2})+/gi)].map(([run]) => decodeURIComponent(run)).join("");
    return !/[/\\\p{Cc}]/u.test(text) && !/[\w.~-]/.test(decoded) && !/^\.{1,2}$/.test(text);
  } catch {
    return false;
  }
}

/** Some frameworks read `headers`, some `rawHeaders`. Node counts these, so that none may go. */
function replaceHeader(req: IncomingMessage, name: string, value: string): void {
  const { headers, rawHeaders } = req;
  let isThere = false;
  for (let at = 0; at < rawHeaders.length && headers[name] !== undefined; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== name) continue;
    [rawHeaders[at], rawHeaders[at + 1]] = isThere ? ["x-repeated", ""] : [name, value];
    isThere = true;
  }
  if (!isThere) rawHeaders.push(name, value);
  headers[name] = value;
}
