import { type Reply, Wire } from "./wire.ts";

/** An open, idle connection for each URL: opening one for every request would take a quarter of the time. */
const idle = new Map<string, Wire>();

/** Headers after which a connection cannot always be used again. */
const framing = /^(connection|content-length|expect|transfer-encoding|upgrade)$/i;

export function isReusable(headers: Record<string, string>): boolean {
  return !Object.keys(headers).some((name) => framing.test(name));
}

/** Sends a request, on an idle connection if there is one, and resolves with the answer. */
export async function replyTo(url: string, bytes: Buffer, options: object): Promise<Reply> {
  const used = takeIdle(url);
  if (!used) return replyOn(new Wire(url), url, bytes, options);
  return replyOn(used, url, bytes, options).catch((error) => {
    // A server may close an idle connection at any time.
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
