import assert from "node:assert/strict";
import { takesAnyMethod } from "../document.ts";
import { conditionHeaders, takeTags } from "../item-routes/headers.ts";
import { validItem } from "../items.ts";
import { type Check, each, expectNoCatchAll, expectNoPlugin, type Sent, type Subject, send } from "../suite.ts";
import type { Reply } from "../wire.ts";
import { origins } from "./origins.ts";

const [listed = ""] = origins;
const [, protocol, host = "", hostname] = /^(.*?:)\/\/((.*?)(?::\d+)?)$/.exec(listed) ?? [];

const otherOrigins = [
  "null",
  "*",
  "",
  `${listed}/`,
  `${listed}.evil.example`,
  `${listed}:8443`,
  `${listed}@evil.example`,
  `${listed.toUpperCase()}`,
  `${protocol?.toUpperCase()}//${host}`,
  `${protocol}//evil.${host}`,
  `${protocol}//evil${host}`,
  `${protocol}//evil.example/${hostname}`,
  `${protocol === "https:" ? "http:" : "https:"}//${host}`,
  `ftp://${host}`,
  host,
  listed.slice(0, -1),
  `${listed}, ${listed}`,
  `${listed} ${listed}`,
  "https://evil.example",
];

const checks: Check[] = [
  {
    name: "a page of a listed origin can read every answer, errors too",
    async run(subject) {
      await each(origins, async (Origin) => {
        for (const sent of requests(subject)) {
          const { headers } = await send(subject, { ...sent, headers: { ...sent.headers, Origin } });
          assert.equal(headers["access-control-allow-origin"], Origin);
          if (subject.features.includes("item-routes")) takeTags(headers, "access-control-expose-headers");
          assert.deepEqual(listIn(headers["access-control-expose-headers"]), ["retry-after", "x-request-id"]);
        }
      });
    },
  },
  {
    name: "the answer to a preflight from a listed origin says what is allowed",
    async run(subject) {
      await each(origins, async (Origin) => {
        for (const [path, methods] of Object.entries({ [subject.path]: ["GET", "POST"], "/health": ["GET"] })) {
          const reply = await preflight(subject, path, Origin);
          assert.equal(reply.status, 204);
          assert.equal(reply.headers["access-control-allow-origin"], Origin);
          const allowed = listIn(reply.headers["access-control-allow-methods"]);
          const wanted = takesAnyMethod(subject.document, { path }) ? ["POST"] : methods;
          for (const method of wanted) assert.ok(allowed.includes(method.toLowerCase()), method);
          assert.deepEqual(
            listIn(reply.headers["access-control-allow-headers"]).sort(),
            requestHeaders(subject).sort(),
          );
          assert.match(reply.headers["access-control-max-age"] ?? "", /^\d+$/);
        }
      });
    },
  },
  {
    name: "any other origin is allowed nothing, however similar it is to a listed one",
    async run(subject) {
      await each(
        otherOrigins.filter((one) => !origins.includes(one)),
        async (Origin) => {
          expectNothingAllowed(await preflight(subject, subject.path, Origin));
          expectNothingAllowed(await send(subject, { headers: { Origin } }));
        },
      );
      await each(requests(subject), async (sent) => {
        const headers = { ...sent.headers, Origin: "https://evil.example" };
        expectNothingAllowed(await send(subject, { ...sent, headers }));
      });
      expectNothingAllowed(await send(subject, { headers: { Origin: listed, origin: listed } }));
    },
  },
  {
    name: "a request without an origin is answered as usual",
    async run(subject) {
      for (const sent of requests(subject)) expectNothingAllowed(await send(subject, sent));
    },
  },
  {
    name: "a preflight for an unknown path is 404, and allows no method",
    async run(subject) {
      const reply = await preflight(subject, "/nowhere/", listed);
      expectNoCatchAll(reply, "OPTIONS /nowhere/");
      assert.deepEqual([reply.status, reply.headers["access-control-allow-methods"]], [404, undefined]);
    },
  },
  {
    name: "every answer has Vary: Origin, and none allows all origins or cookies",
    async run(subject) {
      await each([{}, { Origin: listed }, { Origin: "https://evil.example" }], async (origin) => {
        for (const sent of requests(subject)) {
          const { headers } = await send(subject, { ...sent, headers: { ...sent.headers, ...origin } });
          assert.ok(listIn(headers["vary"]).includes("origin"), `Vary: ${headers["vary"]}`);
          assert.notEqual(headers["access-control-allow-origin"], "*");
          assert.equal(headers["access-control-allow-credentials"], undefined);
        }
      });
    },
  },
];

/** They are skipped if a plugin of the owner answers for other origins, too. */
export const corsChecks: Check[] = checks.map(({ name, run }) => ({
  name,
  run: async (subject) => {
    expectNoPlugin(await send(subject, {}));
    expectNoPlugin(await send(subject, { headers: { Origin: "https://nobody.example" } }));
    await run(subject);
  },
}));

/** One request for each kind of answer. */
function requests({ path, item }: Subject): Sent[] {
  const json = { "Content-Type": "application/json" };
  return [
    {},
    { path: "/health" },
    { path: "/nowhere" },
    { path: `${path}?limit=0` },
    { method: "OPTIONS" },
    { method: "DELETE" },
    { headers: { Authorization: "Basic !!!" } },
    { method: "POST", headers: json, body: "{" },
    { method: "POST", headers: json, body: "[]" },
    { method: "POST", headers: json, body: JSON.stringify(validItem(item)) },
  ];
}

function requestHeaders({ features }: Subject): string[] {
  return [
    "content-type",
    "idempotency-key",
    "x-request-id",
    ...(features.includes("item-routes") ? conditionHeaders : []),
    ...(features.includes("auth") ? ["authorization"] : []),
  ];
}

function preflight(subject: Subject, path: string, Origin: string): Promise<Reply> {
  const asked = { "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type" };
  return send(subject, { method: "OPTIONS", path, headers: { Origin, ...asked } });
}

function expectNothingAllowed({ headers }: Reply): void {
  const allowed = Object.keys(headers).filter((name) => name.startsWith("access-control-"));
  assert.deepEqual(allowed, []);
}

function listIn(value = ""): string[] {
  return value.toLowerCase().split(/, */);
}
