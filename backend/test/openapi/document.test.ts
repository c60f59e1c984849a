import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Described } from "../../kit/openapi/components.ts";
import { differences, stale } from "../../kit/openapi/differences.ts";
import { type Document, newDocument, updated } from "../../kit/openapi/document.ts";
import { core } from "../../kit/openapi/feature.ts";
import { auth } from "../../kit/openapi/features/auth.ts";
import type { Route } from "../../src/core/http/routes.ts";

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
    const routes = patterns.flatMap((pattern) => ["GET", "POST"].map((method) => ({ method, pattern })));
    const made = make({ routes });
    const names = ["/orders", "/users/{id}/orders", "/reports/orders"].map(
      (path) => at(made, "get", path)?.["operationId"],
    );
    assert.deepEqual(names, ["listOrders", "getUsersByIdOrders", "getReportsOrders"]);
  });

  test("describes routes at a resource's path as the owner's own, if they are not known to be those of a resource", () => {
    const create = { method: "POST", pattern: "/orders" };
    const list = { method: "GET", pattern: "/orders" };
    const nothing = { parameters: [], answers: {}, definitions: {} };
    const body = { content: { "application/json": { type: "string" } }, refusal: 422 };
    const cases: Described["routes"][] = [
      [create],
      [list],
      [list, { ...create, declared: { ...nothing, body } }],
      [{ ...list, declared: { ...nothing, answers: { 200: { type: "array" } } } }, create],
    ];
    for (const routes of cases) {
      const text = JSON.stringify(make({ routes }).paths);
      assert.ok(!text.includes("Idempotency-Key") && !text.includes("NewOrder") && !text.includes("nextCursor"), text);
    }
    const made = make({ routes: cases[2] ?? [] });
    assert.deepEqual(at(made, "post", "/orders")?.["requestBody"], {
      required: true,
      content: { "application/json": { schema: { type: "string" } } },
    });
    const own = [list, { ...create, declared: { ...nothing, body: { ...body, resource: "orders" } } }];
    assert.equal(at(make({ routes: own }), "post", "/orders")?.["operationId"], "createOrder");
  });

  test("describes an unknown route by what the router knows, and invents no answer", () => {
    const routes = [
      { method: "PUT", pattern: "/files/:name", bodyLimit: 5 },
      { method: "GET", pattern: "/status", isPublic: true },
    ];
    const made = make({ routes, features: [core, auth] });
    const put = at(made, "put", "/files/{name}");
    assert.deepEqual(put?.["parameters"], [{ name: "name", in: "path", required: true, schema: { type: "string" } }]);
    assert.deepEqual([put?.["x-body-limit"], put?.["security"]], [5, [{ bearer: [] }]]);
    assert.deepEqual(at(made, "get", "/status")?.["security"], []);
    const { responses } = at(made, "get", "/status") as { responses: Record<string, object> };
    assert.deepEqual(Object.keys(responses), ["400", "408", "417", "431", "500", "503", "default"]);
    assert.deepEqual(responses["default"], { $ref: "#/components/responses/AnyAnswer" });
  });

  test("removes the answers of a feature that is gone, and adds those of one that was added", () => {
    const routes = [
      { method: "GET", pattern: "/names" },
      { method: "*", pattern: "/any" },
    ];
    const open = make({ routes });
    const closed = make({ routes, features: [core, auth] }, open);
    const refused = ({ paths = {} }: Document) =>
      ["/names", "/any"].map((path) => JSON.stringify(paths[path]).includes("Unauthorized"));
    assert.deepEqual([open, closed, make({ routes }, closed)].flatMap(refused), [
      false,
      false,
      true,
      true,
      false,
      false,
    ]);
    assert.deepEqual(make({ routes }, closed).components?.["responses"], open.components?.["responses"]);
    assert.match(stale(open, closed).join("\n"), /^GET \/names differs .* responses, security$/m);
  });

  test("describes a route that takes any method by the operations that its owner wrote, and no other route's", () => {
    const any = { method: "*", pattern: "/any" };
    const written = make({ routes: [{ method: "PUT", pattern: "/any" }] });
    Object.assign(at(written, "put", "/any") ?? {}, { summary: "Put anything" });
    const closed = make({ routes: [any], features: [core, auth] }, written);
    assert.deepEqual(methodsAt(closed, "/any"), ["put"]);
    assert.equal(at(closed, "put", "/any")?.["summary"], "Put anything");
    assert.match(JSON.stringify(at(closed, "put", "/any")), /Unauthorized/);
    const both = make({ routes: [any, { method: "GET", pattern: "/any", bodyLimit: 5 }] });
    assert.deepEqual(methodsAt(both, "/any"), ["get"]);
    assert.equal(at(both, "get", "/any")?.["x-body-limit"], 5);
    assert.deepEqual(make({ routes: [any, { method: "GET", pattern: "/any", bodyLimit: 5 }] }, both), both);
  });

  test("describes a failure that a route declares as the problem that it becomes, with its members", () => {
    const taken = { type: "object", properties: { error: { type: "string" } }, additionalProperties: false } as const;
    const declared = { parameters: [], answers: { 200: {}, 409: taken, "5XX": { type: "string" } }, definitions: {} };
    const made = make({ routes: [{ method: "POST", pattern: "/names", declared }] });
    const { responses } = at(made, "post", "/names") as { responses: Record<string, { content?: object }> };
    const problem = { $ref: "#/components/schemas/Problem" };
    const { additionalProperties: _, ...members } = taken;
    const describe = (schema: object) => ({ "application/problem+json": { schema } });
    assert.deepEqual(responses["409"]?.content, describe({ allOf: [problem, members] }));
    assert.deepEqual(responses["5XX"]?.content, describe(problem));
  });

  test("removes the answers that a route no longer declares, except what its owner wrote about them", () => {
    const declared = { parameters: [], answers: { 201: { type: "object" }, 204: {}, 409: {} }, definitions: {} };
    const route = { method: "POST", pattern: "/names" };
    const before = make({ routes: [{ ...route, declared }] });
    const answersIn = (document: Document) =>
      (at(document, "post", "/names") as { responses: Record<string, object> }).responses;
    assert.ok(["201", "204", "409"].every((status) => status in answersIn(before)));
    const own = { ...answersIn(before)["409"], description: "It exists" };
    Object.assign(answersIn(before), { 409: own });
    const after = answersIn(make({ routes: [route] }, before));
    assert.deepEqual([after["201"], after["204"], after["409"]], [undefined, undefined, own]);
    assert.deepEqual(after["default"], { $ref: "#/components/responses/AnyAnswer" });
  });

  test("keeps what its owner wrote, generates again what follows from resources, and removes what is gone", () => {
    const both = ["GET", "POST"].map((method) => ({ method, pattern: "/orders" }));
    const routes = [health, ...both, { method: "GET", pattern: "/orders/:id" }];
    const own = { operationId: "readOrder", summary: "Reads an order", responses: { 200: { description: "It" } } };
    const written: Document = {
      ...newDocument("shop"),
      paths: { "/orders/{orderId}": { get: own }, "/orders": { get: { summary: "stale" }, delete: own } },
      components: { schemas: { Own: { type: "string" }, Problem: {} } },
      "x-own": true,
    };
    const made = updated(written, { routes, resources: [orders], features: [core] });
    assert.partialDeepStrictEqual(made.paths?.["/orders/{orderId}"], { get: own });
    assert.equal(at(made, "delete", "/orders"), undefined);
    assert.equal(at(made, "get", "/orders")?.["operationId"], "listOrders");
    const { schemas = {} } = made.components ?? {};
    assert.partialDeepStrictEqual(schemas, { Own: { type: "string" }, Problem: { type: "object" } });
    assert.equal(made["x-own"], true);
    assert.deepEqual(differences(written, routes), [
      "GET /health is in the app, but not in openapi.json",
      "POST /orders is in the app, but not in openapi.json",
      "DELETE /orders is in openapi.json, but not in the app",
    ]);
    assert.deepEqual(differences(made, routes), []);
  });

  test("stays the same when nothing changed", () => {
    const others = ["/orders", "/names/:name"].map((pattern) => ({ method: "POST", pattern }));
    const app = { routes: [health, ...others], features: [core, auth] };
    const once = make(app);
    assert.equal(JSON.stringify(make(app, once)), JSON.stringify(once));
    assert.deepEqual(stale(once, make(app, once)), []);
  });

  test("is written in the same order again, also what routes say about themselves", () => {
    const declared = { parameters: [], answers: {}, definitions: {}, text: { tags: ["cats"], deprecated: true } };
    const routes = [{ method: "GET", pattern: "/cats", declared }];
    const made = make({ routes });
    assert.equal(JSON.stringify(make({ routes }, made)), JSON.stringify(made));
  });

  test("names what is not up to date", () => {
    const routes = [{ method: "GET", pattern: "/names" }];
    const [before, after] = [make({ routes }), make({ routes: [{ method: "GET", pattern: "/names", bodyLimit: 5 }] })];
    assert.deepEqual(stale(before, after), ["GET /names differs from the app in x-body-limit"]);
  });

  test("names the methods that it cannot describe, of catch-all and hidden routes, too, but not what a plugin adds for browsers", () => {
    const at = (method: string, pattern: string) => ({ method, pattern });
    const routes = [at("GET", "/cache"), at("HEAD", "/cache"), at("PURGE", "/cache"), at("POST", "/notes")];
    const options = [at("OPTIONS", "/cache"), at("OPTIONS", "/*")];
    const others = ({ paths = {} }: Document) => Object.values(paths).map((item) => item["x-other-methods"]);
    assert.deepEqual(others(make({ routes })), [["PURGE"], undefined]);
    assert.deepEqual(others(make({ routes: [...routes, ...options] })), [["PURGE", "OPTIONS"], undefined]);
    const pages = make({ routes: [...routes, at("GET", "/*")] });
    assert.deepEqual(others(pages), [["PURGE"], ["GET", "HEAD"]]);
    assert.deepEqual(others(make({ routes, hidden: [at("GET", "/notes")] })), [["PURGE"], ["GET", "HEAD"]]);
    assert.deepEqual(stale(pages, make({ routes }, pages)), ["/notes differs from the app in x-other-methods"]);
    assert.deepEqual(others(make({ routes: routes.slice(0, 1) }, pages)), [undefined]);
  });

  test("marks every path at which a catch-all route takes any method", () => {
    const paths = ["/v1/ping", "/v1/notes/:id", "/status"];
    const routes = paths.map((pattern) => ({ method: "GET", pattern }));
    for (const [pattern, ...marked] of [
      ["/{any*}", "/v1/ping", "/v1/notes/{id}", "/status"],
      ["/v1/*", "/v1/ping", "/v1/notes/{id}"],
    ] as const) {
      const before = make({ routes });
      const made = make({ routes: [...routes, { method: "*", pattern }] }, before);
      const found = Object.entries(made.paths ?? {}).filter(([, item]) => "x-any-method" in item);
      assert.deepEqual(
        found.map(([path]) => path),
        marked,
      );
      const missing = marked.map((path) => `${path} differs from the app in x-any-method`);
      assert.deepEqual(stale(before, made), missing);
    }
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

function make(
  { features = [core], ...app }: Pick<Described, "routes" | "hidden"> & { features?: (typeof core)[] },
  document?: Document,
) {
  return updated(document ?? newDocument("shop"), { ...app, resources: [orders], features });
}

const methodsAt = ({ paths = {} }: Document, path: string) =>
  Object.keys(paths[path] ?? {}).filter((name) => !name.startsWith("x-"));

function at({ paths = {} }: Document, method: string, path: string) {
  return paths[path]?.[method];
}
