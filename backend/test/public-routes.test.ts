import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { createGuard } from "../src/core/features/auth/auth.ts";
import { PublicRoutes } from "../src/core/features/auth/public-routes.ts";
import { type Choice, Routes } from "../src/core/http/routes.ts";
import type { AppListener, AppServer } from "../src/core/http/server.ts";
import { flushLog, logging } from "../src/core/log.ts";

/** Routes, one a line, in the order in which they were added: public ones begin with a plus. */
type Written = string[];

/** Where the router is asked, there is nothing to compare. */
type Ranked = Exclude<Choice, "known">;

/** Requests that need no token and requests that do, if the router chooses the first route or the most specific one. */
const cases: { routes: Written; open: Record<Ranked, string[]>; closed: Record<Ranked, string[]> }[] = [
  {
    routes: ["+GET /hello/open", "GET /hello/:name"],
    open: { first: ["GET /hello/open", "HEAD /hello/open"], specific: ["GET /hello/open", "HEAD /hello/open"] },
    closed: {
      first: ["GET /hello/x", "POST /hello/open", "OPTIONS /hello/open", "GET /hello/OPEN"],
      specific: ["GET /hello/x", "POST /hello/open", "OPTIONS /hello/open", "GET /hello/OPEN"],
    },
  },
  {
    routes: ["GET /hello/:name", "+GET /hello/open"],
    open: { first: [], specific: ["GET /hello/open"] },
    closed: { first: ["GET /hello/open"], specific: ["GET /hello/x"] },
  },
  {
    routes: ["+GET /pages/*path", "GET /pages/secret", "POST /pages/:name"],
    open: { first: ["GET /pages/x", "GET /pages/x/y", "GET /pages/secret"], specific: ["GET /pages/x"] },
    closed: { first: ["POST /pages/x", "PUT /pages/x"], specific: ["GET /pages/secret", "GET /pages/SECRET"] },
  },
  {
    routes: ["GET /admin", "+GET /:page"],
    open: { first: ["GET /x"], specific: ["GET /x"] },
    closed: {
      first: ["GET /admin", "GET /ADMIN", "GET /x/y", "DELETE /x"],
      specific: ["GET /admin", "GET /ADMIN", "GET /x/y", "DELETE /x"],
    },
  },
  {
    // Some routers look for a route of the method first.
    routes: ["+* /hello/open", "GET /hello/:name"],
    open: { first: ["GET /hello/open", "OPTIONS /hello/open"], specific: ["POST /hello/open", "OPTIONS /hello/open"] },
    closed: { first: [], specific: ["GET /hello/open"] },
  },
  {
    routes: ["+GET /x/:id(\\d+)", "GET /x/:name", "+GET /y/:id(\\d+)", "GET /café/:id", "+GET /:a/:b"],
    open: { first: ["GET /y/1"], specific: ["GET /y/1"] },
    closed: { first: ["GET /x/1", "GET /caf%C3%A9/1"], specific: ["GET /x/1", "GET /caf%C3%A9/1"] },
  },
  ...["/docs/:page?", "/docs/{page?}", "/docs{/:page}"].map((pattern) => {
    const [open, closed] = [["GET /docs", "GET /docs/x"], ["GET /docs/x/y"]];
    return {
      routes: [`+GET ${pattern}`],
      open: { first: open, specific: open },
      closed: { first: closed, specific: closed },
    };
  }),
  {
    routes: ["+GET /same/:a", "GET /same/:b"],
    open: { first: ["GET /same/x"], specific: [] },
    closed: { first: [], specific: ["GET /same/x"] },
  },
  {
    routes: ["+GET /hello/:name", "GET /hello/*"],
    open: { first: ["GET /hello/x"], specific: ["GET /hello/x"] },
    closed: { first: ["GET /hello/x/y"], specific: ["GET /hello/x/y", `GET /hello/${"x".repeat(101)}`] },
  },
  {
    routes: ["* /*", "GET /health"],
    open: { first: ["GET /health", "HEAD /health"], specific: ["GET /health"] },
    closed: { first: ["GET /Health", "POST /health"], specific: ["GET /Health", "POST /health"] },
  },
];

for (const choice of ["first", "specific"] as const)
  describe(`a router that chooses the ${choice === "first" ? "first" : "most specific"} route`, () => {
    for (const { routes, open, closed } of cases) {
      const opened = open[choice].map((request) => [request, true] as const);
      for (const [request, isOpen] of [...opened, ...closed[choice].map((one) => [one, false] as const)])
        test(`${isOpen ? "opens" : "closes"} ${request.slice(0, 30)} with ${routes.join(", ")}`, () => {
          assert.equal(isTaken(routes, choice, request), isOpen);
        });
    }
  });

test("if the choice of a router is unknown, nothing beside a closed route is open", () => {
  assert.equal(isTaken(["+GET /hello/open", "GET /hello/:name"], undefined, "GET /hello/open"), false);
  assert.equal(isTaken(["+GET /hello/open", "GET /x/:name"], undefined, "GET /hello/open"), true);
});

test("a route that depends on the host opens nothing beside others, and is never passed over", () => {
  const [open, other] = toRoutes(["+GET /hello/open", "GET /hello/:name"]);
  assert.ok(open && other);
  for (const routes of [
    [{ ...open, isConditional: true }, other],
    [open, { ...other, isConditional: true }],
  ])
    assert.equal(
      new PublicRoutes({ routes, choice: "specific" }).take(new Routes(routes).at("/hello/open"), "GET"),
      false,
    );
});

test("routes that are declared public in vain are named, with the routes that take their requests", () => {
  const written = ["GET /hello/:name", "+GET /hello/open", "+GET /docs/:page", "GET /docs/admin", "+GET /:a", "GET /b"];
  const found = new PublicRoutes({ routes: toRoutes(written), choice: "first" }).findClosed();
  const named = found.map(({ route, rivals }) => [route.pattern, rivals.map(({ pattern }) => pattern)]);
  assert.deepEqual(named, [["/hello/open", ["/hello/:name"]]]);
});

test("they are named in the log at startup", (t) => {
  const lines: string[] = [];
  flushLog();
  logging.level = "warn";
  const stdout = t.mock.method(process.stdout, "write", (text: string) => lines.push(text) > 0);
  createGuard(
    { routes: toRoutes(["GET /hello/:name", "+GET /hello/open"]), choice: "first" } as AppListener,
    [],
    {} as AppServer,
  );
  flushLog();
  stdout.mock.restore();
  logging.level = "info";
  const { level, message, routes } = JSON.parse(lines.join(""));
  assert.deepEqual([level, routes], ["warn", ["GET /hello/open (GET /hello/:name)"]]);
  assert.match(message, /^public routes that need a token/);
});

function isTaken(written: Written, choice: Choice | undefined, request: string): boolean {
  const routes = toRoutes(written);
  const [method = "", path = ""] = request.split(" ");
  return new PublicRoutes({ routes, ...(choice && { choice }) }).take(new Routes(routes).at(path), method);
}

function toRoutes(written: Written) {
  return written.map((one) => {
    const [method = "", pattern = ""] = one.replace("+", "").split(" ");
    return { method, pattern, isPublic: one.startsWith("+") };
  });
}
