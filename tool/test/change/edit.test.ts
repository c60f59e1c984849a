import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { adding, changing, type Edit, removing } from "../../src/change/edit.ts";
import { mergeRequests } from "../../src/change/join.ts";
import { Fault } from "../../src/fault.ts";
import { type RequestInput, readRequest, writeRequest } from "../../src/new/request.ts";
import { writeAnyRequest } from "../../src/new/services.ts";

const request = readRequest({
  name: "my-api",
  framework: "koa",
  features: ["auth"],
  fields: ["name:string", "price:number?"],
});

describe("an invalid change", () => {
  const mistakes: [code: string, edit: () => Edit, message: RegExp][] = [
    ["usage", () => adding([]), /^Name what to add: auth, cors, item-routes, field, resource, webhooks, service\./],
    [
      "unknown_part",
      () => adding(["atuh"]),
      /Did you mean auth\? Choose from: auth, cors, item-routes, field, resource, webhooks, service\.$/,
    ],
    ["unknown_part", () => adding(["auth", "corse"]), /no part of a project "corse"\. Did you mean cors\?/],
    ["unknown_part", () => removing(["fields,name"]), /Choose from/],
    ["usage", () => adding(["field"]), /dory add field price:number/],
    ["usage", () => adding(["webhooks"]), /dory add webhooks github,stripe,standard,slack/],
    ["already_there", () => adding(["Auth"]), /has the feature "Auth" already/],
    ["already_there", () => adding(["cors", "auth"]), /has the feature "auth" already/],
    ["already_there", () => adding(["field", "price:integer"]), /has the field "price" already/],
    ["field_repeated", () => adding(["field", "a:string", "a:string"]), /declared twice/],
    ["field_malformed", () => adding(["field", "due"]), /cannot be read/],
    ["field_reserved", () => adding(["field", "id:string"]), /another name/],
    ["unknown_source", () => adding(["webhook", "gihub"]), /Did you mean github\?/],
    ["usage", () => adding(["feature", "webhook"]), /dory add webhooks github/],
    ["usage", () => removing(["field"]), /^Name the /],
    ["not_there", () => removing(["cors"]), /no feature "cors"\. It has: auth\./],
    ["not_there", () => removing(["webhooks"]), /no webhooks/],
    ["not_there", () => removing(["webhooks", "github"]), /It has none/],
    ["not_there", () => removing(["field", "nme"]), /It has: name, price\./],
    ["last_field", () => removing(["field", "name", "price"]), /at least one field/],
    ["usage", () => changing({}, {}), /dory change --help/],
    ["unknown_framework", () => changing({ framework: "fastfy" }, {}), /Did you mean fastify\?/],
    ["unknown_database", () => changing({ database: "mysql" }, {}), /both, sqlite, postgres/],
    ["already_there", () => changing({ framework: "Koa" }, {}), /nothing would change/],
    ["not_there", () => changing({}, { fields: ["nme:string"] }), /It has: name, price\./],
  ];
  for (const [code, edit, message] of mistakes)
    test(`is reported in one line: ${code}, ${message.source}`, () => {
      assert.throws(
        () => edit().apply(request),
        (error) => {
          assert.ok(error instanceof Fault);
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /\n/);
          assert.equal(error.code, code);
          return true;
        },
      );
    });
});

test("requests that were changed separately are merged: plus what either added, minus what either removed", () => {
  const base: RequestInput = writeRequest(request);
  const one = { ...base, framework: "hono", features: ["auth", "cors"], fields: ["name:string", "price:integer"] };
  const other = {
    ...base,
    database: "sqlite",
    features: [],
    fields: ["name:string", "price:number?", "due:timestamp"],
  };
  const merged = writeAnyRequest(mergeRequests(base, one, other, base));
  assert.deepEqual(merged, {
    ...base,
    framework: "hono",
    database: "sqlite",
    features: ["cors"],
    fields: ["name:string", "price:integer", "due:timestamp"],
  });
  const decided = { ...base, framework: "h3" };
  const both = mergeRequests(base, { ...base, framework: "hono" }, { ...base, framework: "nest" }, decided);
  assert.equal(writeAnyRequest(both).framework, "h3");
});
