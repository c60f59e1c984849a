import { hash } from "node:crypto";
import type { Ask, Package } from "./ecosystem.ts";
import { toAsk, toPath } from "./ecosystem.ts";

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The answers of a server to a package's requests, one after the other, with the cookies that it sets. */
export async function collectAnswers(url: string, tried: Package, { isProject = false } = {}): Promise<Answer[]> {
  const cookies = new Map<string, string>();
  const answers: Answer[] = [];
  for (const request of tried.requests) {
    const ask = toAsk(request);
    const answer =
      ask.here && !isProject
        ? { headers: {}, body: "", ...ask.here }
        : await fetchAnswer(url, `/${toPath(tried)}${ask.path ?? ""}`, ask, cookies);
    answers.push(mask(answer, url, tried.masks ?? []));
  }
  return answers;
}

async function fetchAnswer(url: string, path: string, ask: Ask, cookies: Map<string, string>): Promise<Answer> {
  if (ask.socket !== undefined) return collectMessages(url.replace("http", "ws") + path, ask.socket);
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const send = () =>
    fetch(url + path, {
      method: ask.method ?? "GET",
      headers: { ...(cookie && { Cookie: cookie }), ...ask.headers },
      body: typeof ask.body === "function" ? ask.body() : (ask.body ?? null),
      redirect: "manual",
      signal: AbortSignal.timeout(15_000),
    });
  // A server may close an idle connection at the moment when it is used again.
  const response = await send()
    .catch(send)
    .catch((error) => `no answer: ${error.cause ?? error}`);
  if (typeof response === "string") return { status: 0, headers: {}, body: response };
  for (const line of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
  const body = await response.text().catch((error) => `cut off: ${error.cause ?? error}`);
  return { status: response.status, headers: Object.fromEntries(response.headers), body };
}

/** The messages that come back on a WebSocket. */
function collectMessages(url: string, texts: string[]): Promise<Answer> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url);
    const messages: string[] = [];
    const settle = (status: number, body: string) => {
      resolve({ status, headers: {}, body });
      clearTimeout(timer);
      socket.close();
    };
    const timer = setTimeout(settle, 10_000, 0, "no answer");
    const sendNext = () => socket.send(texts[messages.length] ?? "");
    socket.onopen = sendNext;
    socket.onmessage = ({ data }) => {
      if (messages.push(String(data)) < texts.length) sendNext();
      else settle(101, messages.join("\n"));
    };
    socket.onerror = () => settle(0, "refused");
  });
}

/** Dates, the values of Server-Timing, nonces. */
const changing = [/\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT/g, /[\w.]{1,80};dur=[\d.]+/g, /'nonce-\w+'/g];

function mask({ status, headers, body }: Answer, url: string, masks: RegExp[]): Answer {
  const hide = (text: string) =>
    [...changing, ...masks].reduce(
      (rest, one) => rest.replace(one, "…"),
      text.replaceAll(url, "http://host").replaceAll(new URL(url).host, "host"),
    );
  const hidden = hide(body);
  const names = Object.keys(headers).filter((name) => name !== "content-length" || hidden === body);
  return {
    status,
    headers: Object.fromEntries(names.map((name) => [name, hide(headers[name] ?? "")])),
    body:
      hidden.length > 2000 && !isProblemType(headers)
        ? `${hidden.length} characters, ${hash("sha256", hidden)}`
        : hidden,
  };
}

interface Rule {
  /** Why the two answers may differ, for `docs/ecosystem.md`. */
  because: string;
  /** Makes what may differ equal. */
  apply(plain: Answer, inProject: Answer, ask: Ask): void;
}

/** What may differ. All else must be equal, or the package does not work. */
export const rules: Rule[] = [
  {
    because: "The server decides how a message is sent: `Connection`, `Keep-Alive`, `Date`, `Transfer-Encoding`.",
    apply(plain, inProject) {
      for (const name of ["connection", "date", "keep-alive", "transfer-encoding"]) drop(name, plain, inProject);
      const isChunked = [plain, inProject].some(({ headers }) => !("content-length" in headers));
      if (isChunked) drop("content-length", plain, inProject);
      for (const { headers } of [plain, inProject])
        if (headers["content-type"]) headers["content-type"] = headers["content-type"].replaceAll("; ", ";");
    },
  },
  {
    because: "Every answer has `X-Request-Id`. None has `Server`, or the `X-Powered-By` of a framework.",
    apply(plain, inProject) {
      for (const name of ["server", "x-powered-by", "x-request-id"]) drop(name, plain);
      drop("x-request-id", inProject);
    },
  },
  {
    because:
      "`Cache-Control: no-store` is sent where plain Node sends no `Cache-Control`. Express then computes no `ETag`: it would have no use.",
    apply(plain, inProject) {
      if ("cache-control" in plain.headers || inProject.headers["cache-control"] !== "no-store") return;
      drop("cache-control", inProject);
      if (!inProject.headers["etag"] && /^W\/"[\da-f]+-[\w+/]{27}"$/.test(plain.headers["etag"] ?? ""))
        drop("etag", plain);
    },
  },
  {
    because: "`X-Content-Type-Options: nosniff` is sent where plain Node does not send the header.",
    apply(plain, inProject) {
      if (!("x-content-type-options" in plain.headers)) drop("x-content-type-options", inProject);
    },
  },
  {
    because: "An error that is thrown with a status above 500 is a 500, except for a 503, which has `Retry-After`.",
    apply(plain, inProject, { isThrown }) {
      if (isThrown && plain.status > 500) plain.status = 500;
      if (inProject.status === 503 && !plain.headers["retry-after"]) drop("retry-after", inProject);
    },
  },
  {
    because:
      "A failure is a problem: its body, and the headers that describe the body, are others. It is never stored. Only one whose JSON is a list, as for a batch, keeps its body.",
    apply(plain, inProject) {
      if (plain.status < 400 || !isProblem(inProject)) return;
      for (const name of describing) drop(name, plain, inProject);
      plain.body = "a problem";
      inProject.body = "a problem";
    },
  },
];

const describing = [
  "accept-ranges",
  "cache-control",
  "content-encoding",
  "content-language",
  "content-length",
  "content-security-policy",
  "content-type",
  "etag",
  "last-modified",
];

/** The two answers to a request, without what may differ. */
export function comparable(plain: Answer, inProject: Answer, ask: Ask): { plain: Answer; inProject: Answer } {
  const both = structuredClone({ plain, inProject });
  for (const { apply } of rules) apply(both.plain, both.inProject, ask);
  // Packages that are used everywhere add headers to all answers.
  if (ask.here)
    for (const name of Object.keys(inProject.headers)) if (!ask.here.headers?.[name]) drop(name, both.inProject);
  return both;
}

function drop(name: string, ...answers: Answer[]): void {
  for (const { headers } of answers) delete headers[name];
}

const isProblemType = (headers: Record<string, string>) =>
  headers["content-type"]?.startsWith("application/problem+json") ?? false;

/** Whether an answer is a problem with the contract's headers. */
function isProblem({ status, headers, body }: Answer): boolean {
  if (!isProblemType(headers)) return false;
  // The answer to HEAD has no body.
  return body === "" || JSON.parse(body).status === status;
}
