import assert from "node:assert/strict";
import { describe, test } from "node:test";
import Hapi from "@hapi/hapi";
import * as v from "valibot";
import { openApp } from "../../../kit/test/app.ts";
import { core, valid } from "../../../src/core/frameworks/hapi/connect.ts";
import { Problem } from "../../../src/core/problem.ts";
import { createApp } from "../../../src/frameworks/hapi/app.ts";
import { logLines } from "../../support/log-lines.ts";

const Greeting = v.strictObject({ text: v.string() });

describe("an answer of an owner's route", async () => {
  const server = await openApp(createApp);
  server.route({
    method: "GET",
    path: "/hello/{text}",
    options: { response: { schema: valid(Greeting) } },
    handler: ({ params: { text } }) => (text === "wrong" ? { wrong: text } : { text }),
  });

  test("that its schema refuses is not the client's fault, and is logged", async () => {
    assert.deepEqual((await server.inject("/hello/dory")).result, { text: "dory" });
    const lines = await logLines(async () => {
      const { statusCode, payload } = await server.inject("/hello/wrong");
      assert.deepEqual([statusCode, JSON.parse(payload).code], [500, "internal_error"]);
    });
    assert.match(JSON.stringify(lines), /does not match its schema/);
  });
});

test("a failure is emitted as an error, as on plain hapi, and answered as a problem", async () => {
  const server = await openApp(createApp);
  const seen: unknown[] = [];
  server.events.on({ name: "request", channels: "error" }, (_request, { error }) => void seen.push(error));
  server.ext("onPreResponse", ({ response }, h) => {
    if ("isBoom" in response) response.output.headers["x-boat"] = "dory";
    else response.header("x-boat", "dory");
    return h.continue;
  });
  for (const [path, error] of Object.entries({
    broken: new Error("broken"),
    taken: new Problem("not_found", "Taken."),
  }))
    server.route({
      method: "GET",
      path: `/${path}`,
      handler: () => {
        throw error;
      },
    });
  const broken = await server.inject("/broken");
  assert.deepEqual([broken.statusCode, JSON.parse(broken.payload).code], [500, "internal_error"]);
  assert.deepEqual(
    [broken.headers["content-type"], broken.headers["cache-control"], broken.headers["x-boat"]],
    ["application/problem+json", "no-store", "dory"],
  );
  const taken = await server.inject("/taken");
  assert.deepEqual([taken.statusCode, JSON.parse(taken.payload).detail], [404, "Taken."]);
  assert.deepEqual(
    seen.map((error) => (error as Error).message),
    ["broken"],
  );
});

test("an extension above the app's own sees the status of a problem", async () => {
  const server = Hapi.server({ debug: false });
  await server.register(core);
  const seen: number[] = [];
  server.ext("onPreResponse", ({ response }, h) => {
    if ("isBoom" in response) seen.push(response.output.statusCode);
    return h.continue;
  });
  server.route({
    method: "GET",
    path: "/",
    handler: () => {
      throw new Problem("not_found", "Gone.");
    },
  });
  await server.inject("/");
  assert.deepEqual(seen, [404]);
});

test("an error whose answer cannot be sent tells nothing", async () => {
  const server = await openApp(createApp);
  server.state("broken", {
    autoValue() {
      throw new Error("no value");
    },
  });
  server.route({
    method: "GET",
    path: "/unavailable",
    handler: () => {
      throw Object.assign(new Error("connect postgres://fake"), {
        output: { statusCode: 503, payload: {}, headers: {} },
      });
    },
  });
  assert.doesNotMatch((await server.inject("/unavailable")).payload, /postgres/);
});
