import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { after, before, describe, test } from "node:test";
import { eventually } from "../../kit/test/eventually.ts";
import { AppServer } from "../../src/core/http/server.ts";
import { logging } from "../../src/core/log.ts";
import { logLines } from "../support/log-lines.ts";
import { createTestServer } from "../support/server.ts";
import { authorization, Wire } from "../support/wire.ts";

const limits = { HANDLER_TIMEOUT_MS: "1500", KEEP_ALIVE_MS: "1500", REQUEST_TIMEOUT_MS: "1500" };
const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";
const upgrade = ["Connection: Upgrade", "Upgrade: echo"];

/** What a listener does with an upgrade, each at its own path. */
const listeners: Record<string, (socket: Socket, head: Buffer) => unknown> = {
  "/echo": (socket, head) => {
    socket.write(switching);
    socket.write(head);
    socket.on("data", (bytes) => socket.write(bytes));
    socket.on("end", () => socket.end("bye"));
  },
  "/refuses": (socket) => socket.end("HTTP/1.1 426 Upgrade Required\r\nContent-Length: 2\r\n\r\nno"),
  "/silent": () => {},
  "/throws": () => {
    throw new Error("inner secret");
  },
  "/throws-later": (socket) => {
    socket.write(switching);
    socket.on("data", () => {
      throw new Error("inner secret");
    });
  },
  "/throws-in-a-timer": (socket) => {
    socket.write(switching);
    setImmediate(() => assert.ok(server.hasCaused(new Error("inner secret"))));
  },
};
// As a WebSocket server without a path does, they take upgrades everywhere.
const listen = (to: Server) =>
  to.on("upgrade", ({ url = "" }, socket, head) => (listeners[url] ?? listeners["/echo"])?.(socket as Socket, head));
const listener = (req: IncomingMessage, res: ServerResponse) => res.end(`answered ${req.url}`);

const open = (pattern: string) => ({ method: "GET", pattern, isPublic: true });
const routes = [open("/page"), open("/health"), { method: "GET", pattern: "/*" }];
const appServer = new AppServer();
appServer.publicUpgrades = ["/public"];
const server = createTestServer({ routes, listener, choice: "first" }, limits, appServer);

describe("an upgrade", { timeout: 60_000 }, () => {
  const plain = createServer(listener);
  let [url, plainUrl] = ["", ""];
  before(async () => {
    logging.level = "silent";
    listen(appServer);
    listen(plain);
    url = `http://127.0.0.1:${await server.listen()}`;
    await once(plain.listen(0, "127.0.0.1"), "listening");
    plainUrl = `http://127.0.0.1:${(plain.address() as AddressInfo).port}`;
  });
  after(() => plain.close());

  /** Sends a request for an upgrade, with the bytes that follow it. */
  async function send(path: string, headers = [authorization], rest = "", to = url): Promise<Wire> {
    const wire = await Wire.open(to);
    wire.send(`GET ${path} HTTP/1.1`, "Host: localhost", ...upgrade, ...headers, "", rest);
    return wire;
  }
  const echoed = (wire: Wire, text: string) => eventually(() => wire.received.endsWith(text), `the echo of ${text}`);

  const closed = (wire: Wire) => eventually(() => wire.socket.destroyed, "the end of a connection");

  for (const path of ["/echo", "/refuses"])
    test(`reaches a listener as on plain Node: ${path}`, async () => {
      const [received, expected] = await Promise.all(
        [url, plainUrl].map(async (to) => {
          const wire = await send(path, [authorization], "sent at once,", to);
          await wire.answers(1);
          wire.socket.end("and later");
          return wire.ended;
        }),
      );
      assert.equal(received, expected);
    });

  test("needs a token, also at the path of a public route", async () => {
    for (const path of ["/echo", "/page", "/health", "/nowhere"]) {
      const received = await (await send(path, [], "sent at once")).ended;
      assert.match(received, /^HTTP\/1\.1 401 .*Connection: close\r\n.*"code":"unauthorized"/s);
    }
    const wire = await send("/public", []);
    await wire.answers(1);
    assert.match(wire.received, /^HTTP\/1\.1 101 /);
    wire.socket.destroy();
  });

  test("is refused like any other request", async () => {
    assert.match(await (await send("/x/../echo")).ended, /^HTTP\/1\.1 404 .*problem\+json/s);
    assert.match(await (await send("/echo", [authorization, "Host: b"])).ended, /^HTTP\/1\.1 400 .*problem\+json/s);
  });

  test("is an ordinary request if it offers HTTP/2, or an earlier one is not answered", async () => {
    const offer = await Wire.open(url);
    offer.send("GET /echo HTTP/1.1", "Host: localhost", authorization, "Connection: Upgrade", "Upgrade: h2c", "", "");
    assert.match(await offer.ended, /^HTTP\/1\.1 200 .*answered \/echo/s);
    const second = await Wire.open(url);
    const head = ["Host: localhost", authorization];
    second.send("GET /first HTTP/1.1", ...head, "", "GET /echo HTTP/1.1", ...head, ...upgrade, "", "");
    assert.match(await second.ended, /^HTTP\/1\.1 200 .*answered \/first.*HTTP\/1\.1 200 .*answered \/echo/s);
  });

  test("lasts longer than every timeout", async () => {
    const wire = await send("/echo");
    await wire.answers(1);
    // One that nobody answers is refused later than any other connection would be ended.
    assert.match(await (await send("/silent")).ended, /^HTTP\/1\.1 503 .*"code":"unavailable"/s);
    assert.match(await (await send("/silent")).ended, /^HTTP\/1\.1 503 /s);
    wire.send("still open");
    await echoed(wire, "still open");
    wire.socket.destroy();
  });

  test("whose listener throws fails alone", async () => {
    const bystander = await send("/echo");
    const received = await (await send("/throws")).ended;
    assert.match(received, /^HTTP\/1\.1 500 .*"code":"internal_error"/s);
    assert.ok(!received.includes("secret"));
    for (const path of ["/throws-later", "/throws-in-a-timer"]) {
      const wire = await send(path);
      await wire.answers(1);
      wire.send("anything");
      await closed(wire);
    }
    bystander.send("still open");
    await echoed(bystander, "still open");
    bystander.socket.destroy();
  });

  test("has a line in the log", async () => {
    logging.level = "info";
    const lines = await logLines(async () => {
      const id = (name: string) => [authorization, `X-Request-Id: ${name}`];
      const taken = await send("/echo", id("taken"));
      await taken.answers(1);
      taken.socket.destroy();
      await (await send("/refuses", id("refused"))).ended;
      await (await send("/echo", ["X-Request-Id: closed"])).ended;
    });
    logging.level = "silent";
    const seen = lines.map(({ message, requestId, status }) => [message, requestId, status]);
    assert.deepEqual(seen, [
      ["request", "taken", 101],
      ["request", "refused", 426],
      ["request", "closed", 401],
    ]);
  });

  test("does not hold up a stop, at which the app may end it first", async () => {
    const [polite, other] = [await send("/echo"), await send("/echo")];
    await Promise.all([polite.answers(1), other.answers(1)]);
    appServer.once("close", () => polite.send("please end it"));
    assert.equal(await server.drain(), true);
    await echoed(polite, "please end it");
    other.socket.pause();
    polite.socket.end();
    assert.match(await polite.ended, /bye$/);
    await server.endUpgrades();
    other.socket.resume();
    await closed(other);
  });
});
