import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, describe, mock, test } from "node:test";
import { createStudioServer } from "../../src/studio/server.ts";
import { listen, parse } from "./serve.ts";

/** More than the buffers of a connection on this machine hold; there is room for two. */
const large = 15e6;

/** A server of large answers: /shared is the same for all. */
async function serve(): Promise<string> {
  const shared = Buffer.alloc(large);
  const bodies: Record<string, () => Buffer> = {
    "/large": () => Buffer.alloc(large),
    "/shared": () => shared,
    "/small": () => Buffer.from("{}"),
  };
  const server = createStudioServer({
    maxConnections: 100,
    guard() {},
    answer: async ({ url }) => ({ status: 200, headers: {}, body: bodies[url.pathname]?.() ?? "" }),
  });
  after(() => server.close().closeAllConnections());
  return listen(server);
}

/** A client that asks, and reads nothing after the first bytes of the first answer. */
async function ask(url: string, ...paths: string[]): Promise<{ status: number; socket: Socket }> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {});
  socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(""));
  await once(socket, "readable");
  return { status: Number(String(socket.read(12)).slice(9)), socket };
}

/** Asks until it is answered: an answer that has ended is forgotten in the next turns. */
async function fetchLarge(url: string): Promise<void> {
  for (let asked = 0; asked < 100; asked++) {
    const answer = await fetch(`${url}/large`);
    const { byteLength } = await answer.arrayBuffer();
    if (answer.status === 200) return assert.equal(byteLength, large);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail("there is still no room");
}

describe("answers that clients do not take", () => {
  test("are kept up to a limit, beyond which only small ones are sent", async () => {
    const url = await serve();
    const clients = [await ask(url, "/large"), await ask(url, "/large")];
    assert.deepEqual(
      clients.map(({ status }) => status),
      [200, 200],
    );
    const refused = await fetch(`${url}/large`);
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [503, "5"]);
    assert.equal((await parse(refused)).code, "unavailable");
    assert.equal((await fetch(`${url}/small`)).status, 200);
    assert.equal((await fetch(`${url}/large`, { method: "HEAD" })).status, 200);
    for (const { socket } of clients) socket.destroy();
    await fetchLarge(url);
  });

  test("are forgotten with their connection, also those that wait for an earlier one", async () => {
    const url = await serve();
    const { socket } = await ask(url, "/large", "/large", "/small", "/large");
    assert.equal((await fetch(`${url}/large`)).status, 503);
    socket.destroy();
    await fetchLarge(url);
  });

  test("count once if they are the same", async () => {
    const url = await serve();
    const clients = await Promise.all(Array.from({ length: 5 }, () => ask(url, "/shared")));
    assert.ok(clients.every(({ status }) => status === 200));
    assert.equal((await fetch(`${url}/large`).then((answer) => answer.arrayBuffer())).byteLength, large);
    for (const { socket } of clients) socket.destroy();
  });

  test("are cut after a minute, and others are not", async () => {
    const url = await serve();
    mock.timers.enable({ apis: ["setTimeout"] });
    try {
      const { socket: taken } = await ask(url, "/small");
      const { socket: stalled } = await ask(url, "/large");
      mock.timers.tick(60_000);
      stalled.resume();
      await once(stalled, "close");
      assert.ok(stalled.bytesRead < large);
      taken.read();
      taken.write("GET /small HTTP/1.1\r\nHost: x\r\n\r\n");
      await once(taken, "readable");
      assert.match(String(taken.read()), /^HTTP\/1.1 200 /);
      taken.destroy();
    } finally {
      mock.timers.reset();
    }
  });
});
