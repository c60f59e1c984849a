import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { type Answer, type Asked, HttpFault } from "./http.ts";

/**
 * Who may use the studio: whoever was given an address with a token. A token opens it once, for one browser, and becomes a
 * cookie that no script can read and no other site can send.
 */
export class Sessions {
  readonly #sessions = new Set<string>();
  readonly #onUsed: () => void;
  #token = createSecret();

  /** `onUsed` is called when a token was used: another browser needs another one. */
  constructor(onUsed: () => void) {
    this.#onUsed = onUsed;
  }

  /** The token that opens the studio next. */
  get token(): string {
    return this.#token;
  }

  /** For a request with a token: the answer that opens the studio, at the same address without it. */
  open({ url }: Asked): Answer | undefined {
    const given = url.searchParams.get("token");
    if (given === null) return undefined;
    if (!isEqual(given, this.#token))
      throw new HttpFault({
        status: 403,
        code: "token_used",
        detail:
          "This address was used already, or is not one of this studio. Open the one that dory studio printed last.",
      });
    this.#token = createSecret();
    const session = createSecret();
    this.#sessions.add(digest(session));
    this.#onUsed();
    const rest = new URLSearchParams(url.search);
    rest.delete("token");
    const query = rest.size > 0 ? `?${rest}` : "";
    const cookie = `${nameCookie(url)}=${session}; Path=/; HttpOnly; SameSite=Strict`;
    return { status: 303, headers: { Location: `/${query}`, "Set-Cookie": cookie }, body: "" };
  }

  isOpen({ url, headers }: Asked): boolean {
    const pairs = String(headers.cookie ?? "").split(/;\s*/);
    const start = `${nameCookie(url)}=`;
    return pairs.some((pair) => pair.startsWith(start) && this.#sessions.has(digest(pair.slice(start.length))));
  }

  expectOpen(asked: Asked): void {
    if (this.isOpen(asked)) return;
    throw new HttpFault({
      status: 401,
      code: "no_session",
      detail: "This browser has not opened the studio. Open the address that dory studio printed.",
    });
  }
}

/** Browsers do not tell ports apart: two studios must not overwrite each other's cookies. */
const nameCookie = ({ port }: URL) => `dory-studio-${port}`;

const createSecret = () => randomBytes(32).toString("base64url");

/** Looked up by its hash, so that the time of a comparison tells nothing. */
const digest = (text: string) => createHash("sha256").update(text).digest("base64");

const isEqual = (one: string, other: string) => timingSafeEqual(Buffer.from(digest(one)), Buffer.from(digest(other)));

/** Refuses other names for this machine, which a page on the web could have made up, and requests of other pages. */
export function checkOrigin({ method, headers }: Asked, port: number): void {
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  const { host = "", origin } = headers;
  if (!hosts.includes(String(host)))
    throw new HttpFault({ status: 403, code: "wrong_host", detail: `This studio is at http://${hosts[0]}.` });
  const isOwn = origin === `http://${host}`;
  const site = headers["sec-fetch-site"];
  const isRead = method === "GET" || method === "HEAD";
  if (
    (origin !== undefined && !isOwn) ||
    (!isRead && !isOwn) ||
    (site !== undefined && isForeign(String(site), headers))
  )
    throw new HttpFault({ status: 403, code: "wrong_origin", detail: "Another page sent this request." });
}

/** A link elsewhere may open the page, which then has no cookie; nothing else comes from other sites. */
function isForeign(site: string, headers: Asked["headers"]): boolean {
  return ["cross-site", "same-site"].includes(site) && headers["sec-fetch-mode"] !== "navigate";
}
