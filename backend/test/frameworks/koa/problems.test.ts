import assert from "node:assert/strict";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { after, test } from "node:test";
import { openApp } from "../../../kit/test/app.ts";
import { createApp } from "../../../src/frameworks/koa/app.ts";
import { logLines } from "../../support/log-lines.ts";

test("an error is logged once, also one of a stream, and is emitted as Koa does", async () => {
  const app = await openApp(createApp);
  const emitted: string[] = [];
  app.on("error", ({ message }) => emitted.push(message));
  app.use((ctx) => {
    if (ctx.path === "/thrown") throw new Error("thrown");
    if (ctx.path === "/text") throw "text";
    if (ctx.path === "/streamed") ctx.body = Readable.from(failing());
  });
  const server = app.listen(0);
  await once(server, "listening");
  after(() => server.close());
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const lines = await logLines(async () => {
    const thrown = await fetch(`${url}/thrown`);
    assert.deepEqual([thrown.status, thrown.headers.get("content-type")], [500, "application/problem+json"]);
    await thrown.body?.cancel();
    const text = await fetch(`${url}/text`);
    assert.deepEqual([text.status, text.headers.get("content-type")], [500, "application/problem+json"]);
    await text.body?.cancel();
    await assert.rejects(fetch(`${url}/streamed`).then((response) => response.text()));
    // Koa emits this one twice.
    while (emitted.length < 4) await once(app, "error");
  });
  assert.deepEqual(emitted, ["thrown", "non-error thrown: 'text'", "in the stream", "in the stream"]);
  assert.deepEqual(
    lines.map(({ error }) => (error as Error).message ?? error),
    ["thrown", "text", "in the stream"],
  );
});

async function* failing() {
  yield "begun";
  await new Promise((resolve) => setTimeout(resolve, 50));
  throw new Error("in the stream");
}

test("the message of an error is for clients if it says so, as in Koa, and what nothing has answered is a problem", async () => {
  const app = await openApp(createApp);
  app.use((ctx, next) => {
    if (ctx.path === "/hidden") throw Object.assign(new Error("row of tenant acme"), { status: 403 });
    if (ctx.path === "/told") ctx.throw(403, "not for you");
    return next();
  });
  const server = app.listen(0);
  await once(server, "listening");
  after(() => server.close());
  const read = async (path: string) => {
    const response = await fetch(`http://localhost:${(server.address() as AddressInfo).port}${path}`);
    const { code, detail } = (await response.json()) as { code: string; detail: string };
    return [response.status, code, detail];
  };
  assert.deepEqual(await read("/hidden"), [403, "forbidden", "Forbidden."]);
  assert.deepEqual(await read("/told"), [403, "forbidden", "not for you"]);
  assert.deepEqual(await read("/nowhere"), [404, "not_found", "Nothing was found at this path."]);
});
