import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { credentials } from "../../kit/suite/auth/tokens.ts";
import { Backend } from "../../kit/test/backend.ts";
import { eventually } from "../../kit/test/eventually.ts";
import { newSqliteFile } from "../../kit/test/sqlite.ts";
import { frameworks, isInThisRun, isWholeMatrix } from "../support/matrix.ts";

const mebibyte = 1_048_576;
/** Beyond what it takes when idle, including what is not collected yet. Without a limit, these attacks take far more. */
const allowedGrowth = 220 * mebibyte;

const head = (path: string, length: number, ...more: string[]) =>
  [`POST ${path} HTTP/1.1`, "Host: localhost", "Content-Type: application/json", `Content-Length: ${length}`, ...more]
    .map((line) => `${line}\r\n`)
    .join("");
const signature = `X-Hub-Signature-256: sha256=${"0".repeat(64)}`;

/** How long a request may take on a slow machine that does other things too. */
const patienceMs = 120_000;
/** So that no time limit ends what these tests send: memory alone does. */
const timeouts = {
  HANDLER_TIMEOUT_MS: `${patienceMs}`,
  HEADERS_TIMEOUT_MS: `${patienceMs}`,
  REQUEST_TIMEOUT_MS: `${patienceMs}`,
};

interface Attack {
  count: number;
  sent: Buffer;
  /** Whether a part of the connections must end. */
  isCutOff?: true;
  /** `npm test` has only these. */
  isShort?: true;
}

/** Clients that nobody knows: how many, and what each of them sends. */
const attacks: Record<string, Attack> = {
  "bodies of webhooks that lack their last byte": {
    count: 500,
    sent: Buffer.from(`${head("/webhooks/github", mebibyte, signature)}\r\n${" ".repeat(mebibyte - 1)}`),
    isCutOff: true,
    isShort: true,
  },
  "bodies of webhooks in chunks of one byte": {
    count: 10,
    sent: Buffer.from(
      `POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${signature}\r\nTransfer-Encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(40_000)}`,
    ),
    isCutOff: true,
  },
  "bodies of webhooks that are too long": {
    count: 500,
    sent: Buffer.from(
      `POST /webhooks/github HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${signature}\r\nTransfer-Encoding: chunked\r\n\r\n${(2 * mebibyte).toString(16)}\r\n${" ".repeat(mebibyte + 1)}`,
    ),
    isCutOff: true,
  },
  "bodies without a token": {
    count: 700,
    sent: Buffer.from(`${head("/items", 102_400)}\r\n${" ".repeat(102_399)}`),
  },
  "thousands of requests without a token, in one piece,": {
    count: 200,
    sent: Buffer.from("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(12_001)),
    isShort: true,
  },
  "headers that do not end": {
    count: 1000,
    sent: Buffer.from(`GET /items HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(15_000)}`),
    isCutOff: true,
  },
  "many headers that do not end, after a request that was answered": {
    count: 200,
    sent: Buffer.from(`GET /health HTTP/1.1\r\nHost: x\r\n\r\nGET / HTTP/1.1\r\n${"ab:cd\r\n".repeat(2200)}`),
    isCutOff: true,
  },
};

/** The server below the frameworks counts. Two of them get all attacks, the others show that their readers are counted too. */
const [bodies = ""] = Object.keys(attacks);
const names = (framework: string) => {
  const areAll = isWholeMatrix && (framework === "hono" || framework === "fastify");
  return Object.keys(attacks).filter((name) => areAll || (isWholeMatrix ? name === bodies : attacks[name]?.isShort));
};

for (const framework of frameworks.filter((name) => isWholeMatrix || isInThisRun(name === "hono")))
  describe(`in ${framework}, with little memory`, { timeout: 900_000 }, () => {
    let backend: Backend;
    before(async () => {
      const env = { ...timeouts, DATABASE_URL: await newSqliteFile(), FRAMEWORK: framework };
      backend = await Backend.start({ ...env, NODE_OPTIONS: "--max-old-space-size=128" });
    });
    after(() => backend?.[Symbol.dispose]());

    for (const name of names(framework))
      test(`${attacks[name]?.count} clients that send ${name} take little, and others are served`, async (context) => {
        const { count, sent, isCutOff } = attacks[name] ?? assert.fail();
        assert.equal(await create(backend), 201);
        const idle = residentBytes(backend);
        const sockets = await open(backend.url, count);
        let most = 0;
        const measure = setInterval(() => {
          most = Math.max(most, residentBytes(backend));
        }, 20);
        using _ = endAll(sockets, measure);
        const attack = Promise.all(sockets.map((socket) => send(socket, sent)));
        for (const path of ["/health", "/items"]) assert.equal(await get(backend, path), 200);
        assert.equal(await create(backend), 201);
        await Promise.race([attack, sleep(20_000)]);
        const closed = () => sockets.filter(({ readyState }) => readyState !== "open").length;
        if (isCutOff) await eventually(() => closed() > count / 10, "connections to be cut off", patienceMs);
        assert.equal(await create(backend), 201);
        context.diagnostic(`${Math.round((most - idle) / mebibyte)} MiB more than ${Math.round(idle / mebibyte)}`);
        assert.ok(most - idle < allowedGrowth, `${Math.round((most - idle) / mebibyte)} MiB more`);
      });

    test("a body that finds no room is refused by its headers, and larger ones make room for small ones", async () => {
      const sockets = await open(backend.url, 100);
      using _ = endAll(sockets);
      let refused = 0;
      for (const socket of sockets)
        socket.on("data", (bytes) => {
          if (/^HTTP\/1.1 503 .*^Retry-After: 1\r$.*"code":"unavailable"/ims.test(`${bytes}`)) refused++;
        });
      const { sent } = attacks[bodies] ?? assert.fail();
      await Promise.all(sockets.map((socket) => send(socket, sent)));
      await eventually(() => refused > 20, "most bodies to be refused", patienceMs);
      assert.equal(await create(backend), 201);
    });
  });

async function get({ url }: Backend, path: string): Promise<number> {
  const answer = await fetch(url + path, { headers: credentials, signal: AbortSignal.timeout(patienceMs) });
  await answer.text();
  return answer.status;
}

async function create({ url }: Backend): Promise<number> {
  const headers = { ...credentials, "Content-Type": "application/json", Connection: "close" };
  const signal = AbortSignal.timeout(patienceMs);
  const answer = await fetch(`${url}/items`, { method: "POST", headers, body: '{"name":"one"}', signal });
  await answer.text();
  return answer.status;
}

async function open(url: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets: Socket[] = [];
  for (let made = 0; made < count; made += 100)
    sockets.push(...(await Promise.all(Array.from({ length: Math.min(100, count - made) }, connectOne))));
  return sockets;

  function connectOne(): Promise<Socket> {
    return new Promise((resolve) => {
      const socket = connect(Number(port), hostname, () => resolve(socket));
      socket.on("error", () => resolve(socket));
      socket.on("data", () => {});
    });
  }
}

/** Resolves when all is sent, or the backend has closed the connection. */
function send(socket: Socket, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.once("close", () => resolve());
    socket.write(bytes, () => resolve());
  });
}

function residentBytes({ process }: Backend): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${process.pid}/status`, "utf8"))?.[1]) * 1024;
}

function endAll(sockets: Socket[], timer?: NodeJS.Timeout): Disposable {
  return {
    [Symbol.dispose]: () => {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}
