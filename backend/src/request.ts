import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { notFound, Problem } from "./problem.ts";

/** Gives the request its id: the client's own, if it is one that can stand in a log. */
export function identify(req: IncomingMessage): string {
  const sent = req.headers["x-request-id"]?.toString() ?? "";
  const id = /^[\w.:-]{1,128}$/.test(sent) ? sent : randomUUID();
  if (id !== sent) replaceHeader(req, "x-request-id", id);
  return id;
}

/** Refuses what frameworks disagree about, and gives them what is left in a form that they all read alike. */
export function normalise(req: IncomingMessage): void {
  if (!["1.0", "1.1"].includes(req.httpVersion)) throw new Problem("bad_request", "Speak HTTP/1.1.");
  checkHost(req);
  // Answers carry no validator, yet Express says 304 to `*`.
  delete req.headers["if-none-match"];
  req.url = originForm(req.url ?? "");
  if (!isPlainPath(req.url.split("?", 1)[0] ?? "")) throw notFound();
}

function checkHost(req: IncomingMessage): void {
  const { host } = req.headers;
  const sent = req.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
  const isValid = sent === 1 ? isAuthority(host ?? "") : sent === 0 && req.httpVersion === "1.0";
  if (!isValid) throw new Problem("bad_request", "Send one Host header with a valid name.");
  if (!host) replaceHeader(req, "host", "localhost");
}

function isAuthority(host: string): boolean {
  return host === "" || (/^[\w.~!$&'()*+,;=%:[\]-]+$/.test(host) && URL.canParse(`http://${host}`));
}

/** RFC 9112, section 3.2.2: a server also takes the absolute form that is sent to proxies. */
function originForm(url: string): string {
  return url.replace(/^https?:\/\/[^/?]*\/?/i, "/");
}

/** Several routers decode, merge or resolve the rest, so that other spellings would reach a route. */
function isPlainPath(path: string): boolean {
  return path === "/" || /^(\/(?!\.{1,2}(\/|$))[\w.~!$&'()*+,;=:@-]+)+$/.test(path);
}

/** Node fills `headers` from `rawHeaders` once; some frameworks read the one, some the other. */
function replaceHeader(req: IncomingMessage, name: string, value: string): void {
  const kept = req.rawHeaders.filter((_, index) => req.rawHeaders[index - (index % 2)]?.toLowerCase() !== name);
  req.rawHeaders = [...kept, name, value];
  req.headers[name] = value;
}
