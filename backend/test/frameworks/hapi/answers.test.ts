import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as v from "valibot";
import { openApp } from "../../../kit/test/app.ts";
import { valid } from "../../../src/core/frameworks/hapi/connect.ts";
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
