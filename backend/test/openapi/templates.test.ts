import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findPlaces, toTemplates } from "../../kit/openapi/templates.ts";

describe("a router's pattern", () => {
  const templates: [pattern: string, ...paths: string[]][] = [
    ["/", "/"],
    ["/items", "/items"],
    ["/items/:id", "/items/{id}"],
    ["/items/{id}", "/items/{id}"],
    ["/items/{id?}", "/items", "/items/{id}"],
    ["/items/:id?", "/items", "/items/{id}"],
    ["/:id?", "/", "/{id}"],
    ["/items{/:id}", "/items", "/items/{id}"],
    ["/:name{.:ext}", "/{name}", "/{name}.{ext}"],
    ["/items/:id{[0-9]+}", "/items/{id}"],
    ["/items/:id{[0-9]{3}}/parts", "/items/{id}/parts"],
    ["/items/:id(\\d+)", "/items/{id}"],
    ["/items/:id(\\d+)?", "/items", "/items/{id}"],
    ["/items{/:id(\\d+)}", "/items", "/items/{id}"],
    ["/at/:hour(^\\d{2})h:minute(^\\d{2})m", "/at/{hour}h{minute}m"],
    ["/near/:lat-:lng/radius/:r", "/near/{lat}-{lng}/radius/{r}"],
    ["/files/:name(^\\d+).png", "/files/{name}.png"],
    ["/jobs::purge", "/jobs:purge"],
    ["/jobs/:id::purge", "/jobs/{id}:purge"],
    ["/jobs\\:purge", "/jobs:purge"],
    ["/files/*", "/files/{path}"],
    ["/files/*splat", "/files/{splat}"],
    ["/files/{*path}", "/files/{path}"],
    ["/files/**", "/files/{path}"],
    ["/files/**:rest", "/files/{rest}"],
    ["/files/{rest*}", "/files/{rest}"],
    ["/files/{rest*2}", "/files/{rest}"],
  ];
  for (const [pattern, ...paths] of templates)
    test(`${pattern} is ${paths.join(" and ")}`, () => assert.deepEqual(toTemplates(pattern), paths));

  test("that catches all is not an operation, and neither are middleware, HEAD and OPTIONS", () => {
    for (const pattern of ["*", "/*", "/**", "/*splat", "/{*path}", "{/*path}", "/{path*}", "/**:path"])
      assert.deepEqual(findPlaces({ method: "GET", pattern }), []);
    assert.deepEqual(findPlaces({ method: "*", pattern: "/files/*" }), []);
    for (const method of ["HEAD", "OPTIONS", "TRACE"]) assert.deepEqual(findPlaces({ method, pattern: "/items" }), []);
  });
});
