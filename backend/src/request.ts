import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { routes } from "./parts.ts";
import { notFound, Problem } from "./problem.ts";

/** Gives the request its id: the client's own, if it is one that can stand in a log. */
export function identify(req: IncomingMessage): string {
  const sent = req.headers["x-request-id"]?.toString() ?? "";
  const id = /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
  if (id !== sent) replaceHeader(req, "x-request-id", id);
  return id;
}

/** Brings a request into a form that all frameworks read alike; gives the problem if they would disagree about it. */
export function normalise(req: IncomingMessage): Problem | undefined {
  const { headers, httpVersion, rawHeaders } = req;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  if (httpVersion === "1.0" ? hosts > 1 : httpVersion !== "1.1" || hosts !== 1)
    return new Problem("bad_request", "Speak HTTP/1.1 and send one Host header.");
  if (!headers.host) replaceHeader(req, "host", "localhost");
  else if (!isAuthority(headers.host)) return new Problem("bad_request", "The Host header names no valid host.");
  // Answers carry no validator, yet some frameworks say 304 to `*`.
  delete headers["if-none-match"];
  // RFC 9112, section 3.2.2: a server also takes the absolute form of a target.
  req.url = (req.url ?? "").replace(/^https?:\/\/[^/?]*\/?/i, "/");
  return routes.has(req.url) || plainPath.test(req.url) ? undefined : notFound();
}

const isAuthority = (host: string) => /^[\w.~!$&'()*+,;=%:[\]-]+$/.test(host) && URL.canParse(`http://${host}`);

/** Several routers decode, merge or resolve what is not plain, so that other spellings would reach a route. */
const plainPath = /^(\/|(\/(?!\.{1,2}([/?]|$))[\w.~!$&'()*+,;=:@-]+)+)(\?|$)/;

/** Node fills `headers` from `rawHeaders` once; some frameworks read the one, some the other. */
function replaceHeader(req: IncomingMessage, name: string, value: string): void {
  if (req.headers[name] !== undefined)
    req.rawHeaders = req.rawHeaders.filter((_, at, all) => all[at - (at % 2)]?.toLowerCase() !== name);
  req.rawHeaders.push(name, value);
  req.headers[name] = value;
}
