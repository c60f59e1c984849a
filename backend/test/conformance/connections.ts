import { type Reply, Wire } from "./wire.ts";

/** One that is open and idle for each URL: to open one for every request takes a quarter of the time. */
const idle = new Map<string, Wire>();

/** What both sides must agree about to use a connection again. */
const framing = /^(connection|content-length|expect|transfer-encoding|upgrade)$/i;

export function isReusable(headers: Record<string, string>): boolean {
  return !Object.keys(headers).some((name) => framing.test(name));
}

/** One answer to one request, on a connection that was used before if there is one. */
export async function replyTo(url: string, bytes: Buffer, options: object): Promise<Reply> {
  const used = takeIdle(url);
  if (!used) return replyOn(new Wire(url), url, bytes, options);
  return replyOn(used, url, bytes, options).catch((error) => {
    // A server may close an idle connection whenever it likes.
    if (!used.isClosed || used.rest !== "") throw error;
    return replyOn(new Wire(url), url, bytes, options);
  });
}

async function replyOn(wire: Wire, url: string, bytes: Buffer, options: object): Promise<Reply> {
  try {
    const reply = await wire.send(bytes).reply(options);
    if (reply.headers["connection"] !== "close" && !idle.has(url)) idle.set(url, wire);
    wire.socket.unref();
    return reply;
  } finally {
    if (idle.get(url) !== wire) wire.end();
  }
}

function takeIdle(url: string): Wire | undefined {
  const wire = idle.get(url);
  idle.delete(url);
  if (!wire || wire.isClosed || wire.rest !== "") {
    wire?.end();
    return undefined;
  }
  wire.socket.ref();
  return wire;
}
