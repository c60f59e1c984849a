import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Problem } from "../problem.ts";

/** Sets the id of a request: the client's, if it is safe to log. */
export function identify(req: IncomingMessage): string {
  const sent = req.headers["x-request-id"]?.toString();
  if (sent && /^[\w.:-]{1,128}$/.test(sent)) return sent;
  const id = randomUUID();
  replaceHeader(req, "x-request-id", id);
  return id;
}

/** Normalises a request so that all frameworks read it the same way; returns a problem if they would disagree. */
export function normalise(req: IncomingMessage): Problem | undefined {
  const { headers, httpVersion } = req;
  const hosts = countHeader(req, "host");
  if (httpVersion === "1.0" ? hosts > 1 : httpVersion !== "1.1" || hosts !== 1)
    return new Problem("bad_request", "Use HTTP/1.1 and send one Host header.");
  if (!headers.host) replaceHeader(req, "host", "localhost");
  else if (!isAuthority(headers.host)) return new Problem("bad_request", "The Host header is not a valid host.");
  const { "transfer-encoding": coding } = headers;
  if (coding !== undefined && (coding.toLowerCase() !== "chunked" || httpVersion === "1.0"))
    return new Problem("bad_request", "The only supported Transfer-Encoding is chunked, with HTTP/1.1.");
  // An answer without an ETag matches nothing, but some frameworks answer `*` with 304.
  if (headers["if-none-match"] === "*") delete headers["if-none-match"];
  return req.url?.startsWith("/") ? undefined : readAbsolute(req);
}

/** How often a header was sent: Node keeps only the first of some headers. */
export function countHeader({ rawHeaders }: IncomingMessage, header: string): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? "";
    if (name.length === header.length && name.toLowerCase() === header) count++;
  }
  return count;
}

/** RFC 9112, section 3.2.2: a server must also accept the absolute form of a target. */
function readAbsolute(req: IncomingMessage): Problem | undefined {
  const [, authority, rest = ""] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(req.url ?? "") ?? [];
  if (authority === undefined) return undefined;
  if (!isAuthority(authority)) return new Problem("bad_request", "The host in the request target is not valid.");
  req.url = rest.startsWith("/") ? rest : `/${rest}`;
  return undefined;
}

let lastAuthority = "";

/** Most requests have the same host as the one before. */
function isAuthority(host: string): boolean {
  if (host === lastAuthority) return true;
  const parts = /^(?:[\w.~!$&'()*+,;=-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(host);
  const isValid = parts !== null && Number(parts[1] ?? 0) <= 65_535 && URL.canParse(`http://${host}`);
  if (isValid) lastAuthority = host;
  return isValid;
}

/** Whether all routers read a path the same way: no empty or dot segment, no needless or malformed encoding. */
export function isPlainPath(path: string): boolean {
  if (plain.test(path)) return true;
  return !dots.test(path) && encoded.test(path) && path.split("/").every(isEncodedOnce);
}

const plain = /^(\/|(\/(?!\.{1,2}(\/|$))[\w.~!$&'()*+,;=:@-]+)+)$/;
const dots = /\/\.{1,2}(\/|$)/;
const encoded = /^(\/([\w.~!$&'()*+,;=:@-]|%[\dA-F]{2})+)+$/i;

/** Encoded characters must be valid UTF-8, need the encoding, and be neither separators nor control characters. */
function isEncodedOnce(segment: string): boolean {
  try {
    const text = decodeURIComponent(segment);
    const decoded = [...segment.matchAll(/(%[\dA-F]{2})+/gi)].map(([run]) => decodeURIComponent(run)).join("");
    return !/[/\\\p{Cc}]/u.test(text) && !/[\w.~-]/.test(decoded) && !/^\.{1,2}$/.test(text);
  } catch {
    return false;
  }
}

/** Some frameworks read `headers`, some `rawHeaders`. Node counts the latter, so none of them may be removed. */
export function replaceHeader(req: IncomingMessage, name: string, value: string): void {
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
