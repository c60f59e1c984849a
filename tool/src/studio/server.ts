import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Fault } from "../fault.ts";
import { printError } from "../output.ts";
import { type Answer, type Asked, answerProblem, HttpFault, toProblem } from "./http.ts";
import { Outgoing } from "./outgoing.ts";

/** A body may have this many bytes. */
const bodyLimit = 262_144;

/** Answers a request itself, for a stream. */
export type Stream = (response: ServerResponse) => void;

export interface Serving {
  /** Refuses a request by throwing, before anything else is done. */
  guard(asked: Asked, message: IncomingMessage): void;
  answer(asked: Asked, message: IncomingMessage): Promise<Answer | Stream>;
  maxConnections: number;
}

/** An HTTP server with limits, whose every failure is a problem. */
export function createStudioServer({ guard, answer, maxConnections }: Serving): Server {
  const server = createServer({ maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 20_000 });
  server.maxConnections = maxConnections;
  const outgoing = new Outgoing();
  // Each answer that waits for its turn listens for the end of the connection.
  server.on("connection", (socket) => socket.setMaxListeners(0));
  server.on("request", async (message, response) => {
    const asked = toAsked(message);
    const answered = await attempt(async () => {
      guard(asked, message);
      return answer({ ...asked, method: asked.method === "HEAD" ? "GET" : asked.method }, message);
    });
    if (typeof answered === "function") answered(response);
    else write(response, answered, outgoing);
    // What is left of a body that was refused is not read.
    if (!message.complete) response.once("finish", () => message.destroy());
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return;
    const [status, code] = error.code === "HPE_HEADER_OVERFLOW" ? [431, "headers_too_large"] : [400, "bad_request"];
    const { body } = answerProblem({
      status: Number(status),
      code: String(code),
      detail: "The request cannot be read.",
    });
    socket.end(
      `HTTP/1.1 ${status} Error\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    );
  });
  return server;
}

/** The address in `Host` is checked later; until then it is not used. */
function toAsked(message: IncomingMessage): Asked {
  const host = message.headers.host ?? "localhost";
  const target = message.url ?? "/";
  const base = `http://${host}`;
  const url =
    target.startsWith("/") && URL.canParse(`${base}${target}`)
      ? new URL(`${base}${target}`)
      : new URL("http://invalid/");
  return { method: message.method ?? "GET", url, headers: message.headers, readText: () => readText(message) };
}

async function readText(message: IncomingMessage): Promise<string> {
  const tooLarge = () =>
    new HttpFault(
      { status: 413, code: "body_too_large", detail: `Send at most ${bodyLimit} bytes.` },
      { Connection: "close" },
    );
  if (Number(message.headers["content-length"] ?? 0) > bodyLimit) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    size += chunk.length;
    if (size > bodyLimit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

async function attempt<T>(work: () => Promise<T>): Promise<T | Answer> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof HttpFault) return error.answer;
    if (error instanceof Fault) return toProblem(error).answer;
    printError(`The studio failed: ${(error as Error).stack}`);
    const detail = "The studio failed. What happened is printed where it was started.";
    return answerProblem({ status: 500, code: "internal_error", detail });
  }
}

function write(response: ServerResponse, answer: Answer, outgoing: Outgoing): void {
  const { req } = response;
  if (req.socket.destroyed) return;
  const { status, headers, body } = answer;
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const isSent = req.method !== "HEAD" && status !== 304;
  if (isSent && !outgoing.hasRoomFor(bytes)) {
    write(response, tooBusy, outgoing);
    return;
  }
  const length = status === 304 || status === 204 ? {} : { "Content-Length": bytes.length };
  response.writeHead(status, { ...sharedHeaders, ...length, ...headers });
  if (isSent) outgoing.send(response, bytes);
  else response.end();
}

const tooBusy = answerProblem(
  {
    status: 503,
    code: "unavailable",
    detail: "Too many large answers are being sent at the moment. Try again in a few seconds.",
  },
  { "Retry-After": "5" },
);

/** Scripts, styles and answers from here only; no other page may frame it, or read from it. */
export const sharedHeaders = {
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "X-Frame-Options": "DENY",
};
