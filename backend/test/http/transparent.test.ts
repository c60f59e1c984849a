import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { createGzip } from "node:zlib";
import { eventually } from "../../kit/test/eventually.ts";
import { HttpRequest } from "../../src/core/http/request.ts";
import { logging } from "../../src/core/log.ts";
import { createTestServer } from "../support/server.ts";
import { authorization, Wire } from "../support/wire.ts";

/** Notes what a listener sees, in this order. */
type See = (...what: unknown[]) => void;
type Listener = (req: IncomingMessage, res: ServerResponse, see: See) => unknown;

/** What a listener does. What it sees must be the same on plain Node and in our server. */
interface Scenario {
  listener: Listener;
  /** The lines of the request before its headers end, after the request line and Host. */
  method?: string;
  headers?: string[];
  body?: string;
  /** What the client does with the connection besides sending this. */
  client?: (wire: Wire) => unknown;
  /** A header that a failing answer keeps. */
  keeps?: RegExp;
}

const failures = [200, 404, 500];
const large = Buffer.alloc(3_000_000, "x");

const scenarios: Record<string, Scenario> = {
  "what a listener passes to nextTick, before its promises": {
    listener: (req, res, see) => {
      req.on("end", () => see("end")).resume();
      process.nextTick(see, "tick");
      void Promise.resolve()
        .then(() => see("promise"))
        .then(() => res.end("done"));
    },
  },
  "the end of a body that the core reads at the same time": {
    method: "POST",
    body: "0123456789",
    listener: async (req, res, see) => {
      let raw = "";
      req.on("data", (chunk) => {
        raw += chunk;
      });
      req.on("end", () => see("end"));
      await readByCore(req);
      see("read", raw);
      res.end();
    },
  },
  ...each(failures, (status) => [
    `the order of a written answer: ${status}`,
    {
      listener: (_req, res, see) => {
        watch(res, see);
        res.writeHead(status, { "Content-Type": "text/html" });
        see(res.headersSent, res.statusCode, res.writableEnded);
        see(res.write("a", see.bind(null, "wrote a")), res.write(Buffer.from("b")));
        see(res.end("c", see.bind(null, "ended")) === res, res.writableEnded, res.headersSent);
      },
    },
  ]),
  ...each(failures, (status) => [
    `an implicit head: ${status}`,
    {
      listener: (_req, res, see) => {
        watch(res, see);
        res.statusCode = status;
        see(res.headersSent);
        res.end("x");
        see(res.headersSent, res.writableEnded);
      },
    },
  ]),
  ...each(failures, (status) => [
    `misuse: ${status}`,
    {
      listener: (_req, res, see) => {
        res.on("error", ({ code }: NodeJS.ErrnoException) => see("error", code));
        see(
          attempt(() => res.setHeader("X-Wrong", "\u0000")),
          attempt(() => res.writeHead(1000)),
        );
        see(attempt(() => res.writeHead(status, { "X-Wrong": "a\nb" })));
        res.writeHead(status);
        see(
          attempt(() => res.writeHead(200)),
          attempt(() => res.setHeader("A", "b")),
        );
        see(
          attempt(() => res.removeHeader("A")),
          attempt(() => res.write(null)),
          attempt(() => res.write(5)),
        );
        res.end();
        see(attempt(() => res.write("late", (error) => see(code(error)))));
        see(
          attempt(() => res.end("late")),
          attempt(() => res.end()),
        );
      },
    },
  ]),
  ...each(failures, (status) => [
    `a wrapper that compresses: ${status}`,
    {
      headers: ["Accept-Encoding: gzip"],
      keeps: /^x-wrapped: yes\r$/im,
      listener: (_req, res, see) => {
        watch(res, see);
        compress(res, see);
        res.statusCode = status;
        res.setHeader("Content-Type", "text/plain");
        res.setHeader("Content-Length", 2);
        res.end("no");
      },
    },
  ]),
  ...each(failures, (status) => [
    `a stream larger than all buffers: ${status}`,
    {
      listener: async (_req, res, see) => {
        res.writeHead(status);
        await pipeline(Readable.from([large, large]), res);
        see("piped", res.writableFinished);
      },
    },
  ]),
  ...each(failures, (status) => [
    `headers that are flushed first: ${status}`,
    {
      listener: async (_req, res, see) => {
        res.writeHead(status);
        res.flushHeaders();
        await sleep(20);
        res.cork();
        res.write("a");
        res.write("b");
        res.uncork();
        see(await new Promise((resolve) => res.write("c", () => resolve("written"))));
        res.end();
      },
    },
  ]),
  "a range that cannot be served": {
    keeps: /^content-range: bytes \*\/10\r\n(?!.*etag).*set-cookie: a=b\r$/ims,
    listener: (_req, res) => {
      res.setHeader("ETag", '"x"');
      res.setHeader("Content-Range", "bytes */10");
      res.writeHead(416, { "Set-Cookie": "a=b" }).end("no");
    },
  },
  "an answer that waits for drain": {
    listener: async (_req, res, see) => {
      see(res.write(large), res.writableNeedDrain);
      await once(res, "drain");
      res.end("drained");
    },
  },
  HEAD: { method: "HEAD", listener: (_req, res, see) => see(res.write("a"), res.end("b") === res) },
  ...each([204, 304], (status) => [
    `a body that is not allowed: ${status}`,
    {
      listener: (_req, res, see) => {
        res.writeHead(status);
        see(res.write("a"));
        res.end("b");
      },
    },
  ]),
  trailers: {
    listener: (_req, res) => {
      res.writeHead(200, { Trailer: "X-Sum" });
      res.write("a");
      res.addTrailers({ "X-Sum": "1" });
      res.end();
    },
  },
  "informational answers": {
    listener: (_req, res, see) => {
      res.writeEarlyHints({ link: "</style.css>; rel=preload" }, () => see("hinted"));
      res.writeProcessing();
      res.statusMessage = "Fine";
      res.end();
    },
  },
  "a body that is sent after 100 Continue": {
    method: "POST",
    headers: ["Expect: 100-continue", "Content-Length: 4"],
    client: async (wire) => {
      await wire.answers(1);
      wire.send("body");
    },
    listener: async (req, res) => res.end(await text(req)),
  },
  "a reason of its own": { listener: (_req, res) => res.writeHead(200, "Very Fine", { "X-A": "b" }).end() },
  "an upgrade that nobody takes": {
    headers: ["Connection: close, Upgrade", "Upgrade: websocket"],
    listener: (req, res) => res.end(`${req.headers.upgrade}`),
  },
  "readers after the end": {
    method: "POST",
    body: "body",
    listener: async (req, res, see) => {
      see(await text(req));
      for (const event of ["data", "readable", "end", "error", "close"]) req.on(event, () => see(event));
      see(await text(req).catch(code), req.read(), req.readableEnded, req.complete);
      req.pipe(new PassThrough()).on("end", () => see("piped"));
      req.resume();
      await sleep(30);
      res.end();
    },
  },
  "two readers at the same time": {
    method: "POST",
    body: "body",
    listener: async (req, res, see) => {
      const both = [new PassThrough(), new PassThrough()];
      for (const one of both) req.pipe(one);
      see(await Promise.all(both.map((one) => text(one))));
      res.end();
    },
  },
  "a body that nobody reads": {
    method: "POST",
    body: "body",
    listener: (req, res, see) => {
      watch(req, see);
      res.end();
    },
  },
  "a body that the core has read before": {
    method: "POST",
    body: "body ".repeat(18_000),
    listener: async (req, res, see) => {
      await readByCore(req);
      watch(req, see);
      see(req.readable, (await text(req)).length, req.readableEnded);
      res.end();
    },
  },
  "a body that only the core has read": {
    method: "POST",
    body: "body ".repeat(18_000),
    listener: async (req, res, see) => {
      await readByCore(req);
      watch(req, see);
      res.end();
    },
  },
  "a request that is destroyed with an error": {
    method: "POST",
    body: "body",
    listener: (req, res, see) => {
      watch(req, see, "request");
      watch(res, see, "response");
      req.destroy(new Error("mine"));
    },
  },
  "a connection that is destroyed with an error": {
    listener: (req, res, see) => {
      watch(req, see, "request");
      watch(res, see, "response");
      watch(req.socket, see, "socket");
      req.socket.destroy(new Error("mine"));
    },
  },
  "a response that is destroyed with an error": {
    listener: (req, res, see) => {
      watch(res, see, "response");
      watch(req.socket, see, "socket");
      res.write("a");
      res.destroy(new Error("mine"));
      see(
        attempt(() => res.write("b", (error) => see(code(error)))),
        attempt(() => res.end("c")),
      );
    },
  },
  "a client that disconnects": {
    method: "POST",
    headers: ["Content-Length: 10"],
    client: async (wire) => {
      await wire.answers(1);
      wire.socket.resetAndDestroy();
    },
    listener: (req, res, see) => {
      watch(req, see, "request");
      watch(res, see, "response");
      req.resume();
      res.write("a");
    },
  },
};

const names = Object.keys(scenarios);

/** What the listeners of a server have seen. */
class Sights {
  readonly #seen = new Map<string, unknown[][]>();

  readonly handle = (req: IncomingMessage, res: ServerResponse): void => {
    const name = names[Number(req.url?.slice(1))] ?? "";
    const seen: unknown[][] = [];
    this.#seen.set(name, seen);
    void scenarios[name]?.listener(req, res, (...what) => seen.push(what));
  };

  of(name: string): unknown[][] | undefined {
    return this.#seen.get(name);
  }
}

describe("a listener sees the same as on plain Node", { concurrency: 8, timeout: 60_000 }, () => {
  const [onNode, onOurs] = [new Sights(), new Sights()];
  const plain = createServer(onNode.handle);
  const app = { routes: [{ method: "*", pattern: "/*" }], listener: onOurs.handle };
  const ours = createTestServer(app);
  let ports = { plain: 0, ours: 0 };

  before(async () => {
    logging.level = "silent";
    await once(plain.listen(0, "127.0.0.1"), "listening");
    ports = { plain: (plain.address() as AddressInfo).port, ours: await ours.listen() };
  });
  after(() => Promise.all([plain.close(), ours.drain()]));

  for (const [name, scenario] of Object.entries(scenarios))
    test(name, async () => {
      const expected = await exchange(ports.plain, name, scenario);
      const received = await exchange(ports.ours, name, scenario);
      // A listener may see more shortly after the answer.
      const isSame = () => isDeepStrictEqual(onOurs.of(name), onNode.of(name));
      await eventually(isSame, "the same on both", 5000).catch(() => {});
      assert.deepEqual(onOurs.of(name), onNode.of(name));
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(expected)?.[1]);
      if (!(status >= 400)) return assert.deepEqual(parse(received), parse(expected));
      assert.match(received, new RegExp(`^HTTP/1.1 ${status} .*application/problem\\+json.*"status":${status},`, "s"));
      assert.match(received, scenario.keeps ?? /^X-Request-Id/im);
    });
});

/** All bytes of the answer. */
async function exchange(port: number, name: string, { method = "GET", ...sent }: Scenario): Promise<string> {
  const { body = "", headers = body ? [`Content-Length: ${body.length}`] : [] } = sent;
  const wire = await Wire.open(`http://127.0.0.1:${port}`);
  const closes = headers.some((line) => line.startsWith("Connection:")) ? [] : ["Connection: close"];
  const head = [`${method} /${names.indexOf(name)} HTTP/1.1`, "Host: localhost", authorization, ...closes, ...headers];
  wire.send(...head, "", body);
  await sent.client?.(wire);
  await Promise.race([wire.ended.catch(() => {}), once(wire.socket, "close").catch(() => {})]);
  wire.socket.destroy();
  return wire.received;
}

const ownHeaders = /^(date|cache-control|x-content-type-options|x-request-id|vary):/;

/** The lines of all answers up to the body, without the headers that every answer of ours has, and the body. */
function parse(received: string) {
  const end = received.lastIndexOf("\r\n\r\n");
  const lines = received.slice(0, end).toLowerCase().split("\r\n");
  return { lines: lines.filter((line) => !ownHeaders.test(line)).sort(), body: received.slice(end) };
}

function each(statuses: number[], make: (status: number) => [string, Scenario]): Record<string, Scenario> {
  return Object.fromEntries(statuses.map(make));
}

/** Notes the events of a request, a response or a connection. */
/** On plain Node there is no core, and the body has arrived soon. */
async function readByCore(req: IncomingMessage): Promise<void> {
  if (req instanceof HttpRequest) await req.bytes();
  else await sleep(30);
}

function watch(one: NodeJS.EventEmitter, see: See, who = ""): void {
  for (const event of ["prefinish", "finish", "aborted", "end", "close"]) one.on(event, () => see(who, event));
  one.on("error", (error) => see(who, "error", code(error)));
}

function attempt(act: () => unknown): unknown {
  try {
    const result = act();
    return typeof result === "object" ? "done" : result;
  } catch (error) {
    return code(error);
  }
}

function code(error: unknown): unknown {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException;
  return code ?? message;
}

/** What middleware for compression does. */
function compress(res: ServerResponse, see: See): void {
  const { writeHead, write, end } = res;
  const gzip = createGzip();
  let isEnded = false;
  const start = () => {
    if (!res.headersSent) res.writeHead(res.statusCode);
  };
  res.writeHead = ((...args: Parameters<typeof writeHead>) => {
    see("writeHead", args[0]);
    res.removeHeader("Content-Length");
    res.setHeader("Content-Encoding", "gzip");
    res.setHeader("X-Wrapped", "yes");
    return writeHead.apply(res, args);
  }) as typeof writeHead;
  res.end = ((chunk: unknown) => {
    if (isEnded) return res;
    isEnded = true;
    start();
    see("end", res.headersSent);
    gzip.end(chunk);
    return res;
  }) as typeof end;
  gzip.on("data", (chunk) => {
    see("write", write.call(res, chunk, "utf8"));
  });
  gzip.on("end", () => end.call(res, undefined, "utf8"));
}
