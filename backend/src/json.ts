import type { IncomingMessage } from "node:http";
import { MIMEType } from "node:util";
import { Problem } from "./problem.ts";

/** Reads a JSON body. The headers are judged first, so that a body which will be refused is never asked for. */
export async function readJson(req: IncomingMessage, limit: number): Promise<unknown> {
  const { "content-type": type = "", "content-encoding": encoding } = req.headers;
  if (!isJson(type)) throw new Problem("unsupported_media_type", "Send Content-Type: application/json, in UTF-8.");
  if (encoding !== undefined) throw new Problem("unsupported_media_type", "Send the body without Content-Encoding.");
  return parse(decode(await readBody(req, limit)));
}

function isJson(contentType: string): boolean {
  try {
    const { essence, params } = new MIMEType(contentType);
    return essence === "application/json" && /^utf-8$/i.test(params.get("charset") ?? "utf-8");
  } catch {
    return false;
  }
}

/** Past the limit it reads on and throws away, so that a client that is still sending sees the answer, not a reset. */
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

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw new Problem("malformed_json", "The body is not valid UTF-8.");
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new Problem("malformed_json", `The body is not valid JSON: ${whatIsWrong(body, (error as Error).message)}.`);
  }
}

/** As much as V8's message tells, without the piece of the body that it may quote. */
function whatIsWrong(body: string, message: string): string {
  if (body === "") return "it is empty";
  const [, line, column] = /\(line (\d+) column (\d+)\)$/.exec(message) ?? [];
  if (line) return `see line ${line}, column ${column}`;
  const [, token] = /^Unexpected token '(.+?)'/su.exec(message) ?? [];
  return token ? `unexpected ${JSON.stringify(token)}` : "it ends too early";
}
