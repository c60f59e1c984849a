import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { differences, stale } from "../../openapi/differences.ts";
import { type Document, newDocument, updated } from "../../openapi/document.ts";
import { core } from "../../openapi/feature.ts";
import { auth } from "../../openapi/features/auth.ts";
import type { Route } from "../../src/http/routes.ts";

const jsonSchema = { type: "object", properties: { size: { type: "integer" } }, required: ["size"] };
const health = { method: "GET", pattern: "/health" };
const orders = { name: "orders", title: "Order", jsonSchema };

describe("the document of an app", () => {
  test("describes a resource wherever it is mounted, with a unique name for each operation", () => {
    const routes = ["GET", "POST"].flatMap((method) => [
      { method, pattern: "/v1/orders" },
      { method, pattern: "/v2/orders" },
    ]);
    const made = make({ routes });
    assert.equal(at(made, "get", "/v1/orders")?.["operationId"], "listV1Orders");
    assert.equal(at(made, "post", "/v2/orders")?.["operationId"], "createV2Order");
    assert.ok("NewOrder" in (made.components?.["schemas"] ?? {}));
  });

  test("describes neither a nested path nor another path that ends with a resource's name as that resource", () => {
    const patterns = ["/orders", "/users/:id/orders", "/reports/orders"];
    const made = make({ routes: patterns.map((pattern) => ({ method: "GET", pattern })) });
    const names = ["/orders", "/users/{id}/orders", "/reports/orders"].map(
      (path) => at(made, "get", path)?.["operationId"],
    );
    assert.deepEqual(names, ["listOrders", "getUsersByIdOrders", "getReportsOrders"]);
  });

  test("adds a skeleton for an unknown route, from what the router knows", () => {
    const routes = [
      { method: "PUT", pattern: "/files/:name", bodyLimit: 5 },
      { method: "GET", pattern: "/status", isPublic: true },
    ];
    const made = make({ routes, features: [core, auth] });
    const put = at(made, "put", "/files/{name}");
    assert.deepEqual(put?.["parameters"], [{ name: "name", in: "path", required: true, schema: { type: "string" } }]);
    assert.deepEqual([put?.["x-body-limit"], put?.["security"]], [5, [{ bearer: [] }]]);
    assert.deepEqual(at(made, "get", "/status")?.["security"], []);
  });

  test("keeps what its owner wrote, and generates again what follows from resources", () => {
    const routes = [health, { method: "GET", pattern: "/orders" }, { method: "GET", pattern: "/orders/:id" }];
    const own = { operationId: "readOrder", summary: "Reads an order", responses: { 200: { description: "It" } } };
    const written: Document = {
      ...newDocument("shop"),
      paths: { "/orders/{orderId}": { get: own }, "/orders": { get: { summary: "stale" }, delete: own } },
      components: { schemas: { Own: { type: "string" }, Problem: {} } },
      "x-own": true,
    };
    const made = updated(written, { routes, resources: [orders], features: [core] });
    assert.deepEqual(made.paths?.["/orders/{orderId}"], { get: own });
    assert.deepEqual(at(made, "delete", "/orders"), own);
    assert.equal(at(made, "get", "/orders")?.["operationId"], "listOrders");
    const { schemas = {} } = made.components ?? {};
    assert.partialDeepStrictEqual(schemas, { Own: { type: "string" }, Problem: { type: "object" } });
    assert.equal(made["x-own"], true);
    assert.deepEqual(differences(made, routes), ["DELETE /orders is in openapi.json, but not in the app"]);
  });

  test("stays the same when nothing changed", () => {
    const others = ["/orders", "/names/:name"].map((pattern) => ({ method: "POST", pattern }));
    const app = { routes: [health, ...others], features: [core, auth] };
    const once = make(app);
    assert.equal(JSON.stringify(make(app, once)), JSON.stringify(once));
    assert.deepEqual(stale(once, make(app, once)), []);
  });

  test("names what is not up to date", () => {
    const routes = [{ method: "GET", pattern: "/orders" }];
    const [before, after] = [make({ routes }), make({ routes: [{ method: "GET", pattern: "/orders", bodyLimit: 5 }] })];
    assert.deepEqual(stale(before, after), ["GET /orders in openapi.json is not up to date: run npm run openapi"]);
  });

  test("is compared with the router, and each difference is named", () => {
    const document = { paths: { "/a/{x}": { get: {}, head: {} }, "/gone": { post: {} }, "/any": { put: {} } } };
    const routes: Route[] = [
      { method: "GET", pattern: "/a/:y" },
      { method: "GET", pattern: "/orders/{id}" },
      { method: "HEAD", pattern: "/a/:y" },
      { method: "*", pattern: "/any" },
    ];
    assert.deepEqual(differences(document, routes), [
      "GET /orders/{id} is in the app, but not in openapi.json",
      "POST /gone is in openapi.json, but not in the app",
    ]);
  });
});

function make({ routes, features = [core] }: { routes: Route[]; features?: (typeof core)[] }, document?: Document) {
  return updated(document ?? newDocument("shop"), { routes, resources: [orders], features });
}

function at({ paths = {} }: Document, method: string, path: string) {
  return paths[path]?.[method];
}
