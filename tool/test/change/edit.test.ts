import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createChange, type Edit, readAddition, readRemoval } from "../../src/change/edit.ts";
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
    [
      "usage",
      () => readAddition([]),
      /^Name what to add: auth, cors, item-routes, field, resource, webhooks, service\./,
    ],
    [
      "unknown_part",
      () => readAddition(["atuh"]),
      /Did you mean auth\? Choose from: auth, cors, item-routes, field, resource, webhooks, service\.$/,
    ],
    ["unknown_part", () => readAddition(["auth", "corse"]), /no part of a project "corse"\. Did you mean cors\?/],
    ["unknown_part", () => readRemoval(["fields,name"]), /Choose from/],
    ["usage", () => readAddition(["field"]), /dory add field 'price:number\(min=0\)\?'$/],
    ["usage", () => readAddition(["webhooks"]), /dory add webhooks github,stripe,standard,slack/],
    ["already_there", () => readAddition(["Auth"]), /has the feature "Auth" already/],
    ["already_there", () => readAddition(["cors", "auth"]), /has the feature "auth" already/],
    ["already_there", () => readAddition(["field", "price:integer"]), /has the field "price" already/],
    ["field_repeated", () => readAddition(["field", "a:string", "a:string"]), /declared twice/],
    ["field_malformed", () => readAddition(["field", "due"]), /cannot be read/],
    ["field_reserved", () => readAddition(["field", "id:string"]), /another name/],
    ["unknown_source", () => readAddition(["webhook", "gihub"]), /Did you mean github\?/],
    ["usage", () => readAddition(["feature", "webhook"]), /dory add webhooks github/],
    ["usage", () => readRemoval(["field"]), /^Name the /],
    ["not_there", () => readRemoval(["cors"]), /no feature "cors"\. It has: auth\./],
    ["not_there", () => readRemoval(["webhooks"]), /no webhooks/],
    ["not_there", () => readRemoval(["webhooks", "github"]), /It has none/],
    ["not_there", () => readRemoval(["field", "nme"]), /It has: name, price\./],
    ["last_field", () => readRemoval(["field", "name", "price"]), /at least one field/],
    ["usage", () => createChange({}, {}), /dory change --help/],
    ["unknown_framework", () => createChange({ framework: "fastfy" }, {}), /Did you mean fastify\?/],
    ["unknown_database", () => createChange({ database: "mysql" }, {}), /both, sqlite, postgres/],
    ["already_there", () => createChange({ framework: "Koa" }, {}), /nothing would change/],
    ["not_there", () => createChange({}, { fields: ["nme:string"] }), /It has: name, price\./],
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
