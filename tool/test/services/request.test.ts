import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { Fault } from "../../src/fault.ts";
import { findFaults, findFlagFaults } from "../../src/new/find-faults.ts";
import { toInput } from "../../src/new/input.ts";
import { readQuery } from "../../src/new/query.ts";
import { parseService } from "../../src/new/service.ts";
import { gatherShared, isPlain, readAnyInput, readAnyRequest, writeAnyRequest } from "../../src/new/services.ts";
import { dory } from "../dory.ts";
import { temporaryFolder } from "../support.ts";

const api = { name: "api", framework: "hono" };
const read = (request: object) => readAnyRequest(readAnyInput({ name: "shop", ...request }));
const flags = (...services: string[]) => read({ services: services.map(parseService) });

describe("an application is asked for", () => {
  test("in JSON as a list, next to defaults for all services", () => {
    const jobs = { name: "jobs", framework: "express", fields: ["at:timestamp"], database: "sqlite" };
    const request = read({ database: "postgres", features: ["auth"], node: "system", services: [api, jobs] });
    const asked = {
      name: "shop",
      services: [
        { ...api, fields: ["name:string(1..200)"], database: "postgres", features: ["auth"] },
        { ...jobs, features: ["auth"] },
      ],
      node: "system",
    };
    assert.deepEqual(writeAnyRequest(request), asked);
    assert.deepEqual(read(asked), request);
  });

  test("as in dory.json: images and separate projects are not made again", () => {
    const services = {
      cache: { image: "valkey:8", port: 6379 },
      api: { framework: "hono", env: { LOG_LEVEL: "warn" }, secrets: ["DATABASE_URL"] },
      old: { folder: "old" },
    };
    assert.deepEqual(read({ services, node: "pinned" }), read({ services: [api] }));
  });
});

describe("an invalid application", () => {
  const mistakes: [code: string, ask: () => unknown, message: RegExp][] = [
    ["service_repeated", () => flags("api=hono", "jobs=koa", "api=koa"), /Two services are named "api"/],
    [
      "service_reserved",
      () => read({ database: "pg", services: [{ ...api, name: "database" }] }),
      /the database service/,
    ],
    [
      "missing_framework",
      () => flags("api"),
      /^Name the framework of the service: api=FRAMEWORK\. Choose from: elysia/,
    ],
    ["missing_framework", () => flags("=", "x=koa"), /api=FRAMEWORK/],
    [
      "unknown_framework",
      () => flags("api=hno"),
      /^In the service "api": There is no framework "hno"\. Did you mean hono\?/,
    ],
    [
      "unknown_framework",
      () => read({ services: [{ name: "api" }] }),
      /^In the service "api": There is no framework ""/,
    ],
    ...["src", "test", "data", "dist", "scripts", "localhost"].map((name): [string, () => unknown, RegExp] => [
      "service_reserved",
      () => flags(`${name}=hono`),
      new RegExp(`^"${name}" cannot name a service`),
    ]),
    ...["", "A", "1a", "a_b", "a.b", "a--b", "-a", "a-", "a b", "../a", "a/b", "node_modules", "é", "a".repeat(41)].map(
      (name): [string, () => unknown, RegExp] => [
        "service_name",
        () => flags(`${name}=hono`),
        /a folder and a host name/,
      ],
    ),
    ["field_type", () => read({ services: [{ ...api, fields: ["a:txt"] }] }), /^In the service "api": In "a:txt"/],
    ["name", () => read({ name: "My Shop", services: [api] }), /cannot name a project/],
    ["no_services", () => read({ services: [] }), /at least one service, like --service api=hono/],
    ["no_services", () => read({ services: { old: { folder: "old" } } }), /its own dory\.json: run this in its folder/],
    ["request", () => read({ services: "api" }), /is a list of objects/],
    ["request", () => read({ services: ["api=hono"] }), /is a list of objects/],
    ["request", () => read({ services: [{ ...api, node: "system" }] }), /"node" belongs to the application/],
    ["request", () => read({ services: [{ ...api, services: [] }] }), /"services" belongs to the application/],
    ["request", () => read({ services: [{ ...api, databse: "pg" }] }), /Did you mean database\?/],
    ["request", () => read({ servces: [] }), /Did you mean services\?/],
  ];
  for (const [code, ask, message] of mistakes)
    test(`is reported in one line: ${code}, ${message.source}`, () => {
      assert.throws(ask, (error) => {
        assert.ok(error instanceof Fault, String(error));
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\n/);
        assert.equal(error.code, code);
        return true;
      });
    });
});

describe("all faults of an application", () => {
  const find = (...parameters: [name: string, value: string][]) => {
    const { flags } = readQuery(new URLSearchParams([["name", "shop"], ...parameters]));
    const faults = findFlagFaults(flags, { ...toInput(flags), name: "shop" });
    return faults.map(({ parameter, index, code }) => [parameter, index, code].join(" ").replace("  ", " "));
  };

  test("stand at the service that has them", () => {
    const services = ["api=hono", "jobs", "api=koa", "src=koa", "b=hno"].map((one): [string, string] => [
      "service",
      one,
    ]);
    assert.deepEqual(find(...services), [
      "service 1 missing_framework",
      "service 2 service_repeated",
      "service 3 service_reserved",
      "service 4 unknown_framework",
    ]);
    assert.deepEqual(find(["service", "database=hono"], ["database", "postgres"]), ["service 0 service_reserved"]);
    assert.deepEqual(find(["service", "database=hono"]), []);
  });

  test("do not blame services for what is wrong with all of them", () => {
    assert.deepEqual(find(["service", "api=hono"], ["field", "a:strin"], ["with", "auht"]), [
      "with 0 unknown_feature",
      "field 0 field_type",
    ]);
    assert.deepEqual(find(["service", "api=hono"], ["framework", "koa"]), ["framework usage"]);
  });

  test("are in the words of the first one that is thrown, also for a service with fields of its own", () => {
    const input = { name: "shop", services: [{ ...api, fields: ["a:ref(orders)"] }] };
    const orders = ["orders: note:string"];
    assert.deepEqual(findFaults({ ...input, resources: orders }), []);
    const [fault] = findFaults(input);
    assert.throws(() => readAnyRequest(input), { message: fault?.message });
    assert.deepEqual([fault?.parameter, fault?.index, fault?.code], ["service", 0, "ref_unknown"]);
    assert.equal(findFaults({ name: "shop", services: [] })[0]?.code, "no_services");
  });
});

test("all services together have limits, also with what they share", () => {
  const name = (index: number) => `a${"abcdefghijklmnopqrstuvwxyz"[index]}`;
  const listServices = (count: number, own: object = {}) =>
    Array.from({ length: count }, (_, index) => ({ name: name(index), framework: "hono", ...own }));
  const listResources = (count: number) => Array.from({ length: count }, (_, index) => `${name(index)}boxes: a:string`);
  const values = Array.from({ length: 186 }, (_, index) => `v${100 + index}`).join("|");
  const fields = Array.from({ length: 16 }, (_, index) => `${name(index)}:enum(${values})`);
  const accepted: object[] = [
    { services: listServices(15), resources: listResources(10) },
    { services: listServices(6, { resources: listResources(25) }) },
    { services: listServices(6), fields },
  ];
  const refused: object[] = [
    { services: listServices(16), resources: listResources(10) },
    { services: listServices(6, { resources: listResources(26) }) },
    { services: listServices(7), fields },
  ];
  for (const more of accepted) assert.deepEqual(findFaults(readAnyInput({ name: "shop", ...more })), []);
  for (const more of refused) {
    const [fault, ...others] = findFaults(readAnyInput({ name: "shop", ...more }));
    assert.deepEqual([fault?.parameter, fault?.code, others], ["service", "too_much", []]);
    assert.throws(() => read(more), { code: "too_much", message: fault?.message });
  }
});

test("what services have in common is gathered next to them, and makes the same application", () => {
  const request = read({
    features: ["cors"],
    services: [api, { name: "jobs", framework: "koa", fields: ["at:date"] }],
  });
  const gathered = gatherShared(writeAnyRequest(request));
  assert.deepEqual(gathered, {
    name: "shop",
    services: [
      { ...api, fields: ["name:string(1..200)"] },
      { name: "jobs", framework: "koa", fields: ["at:date"] },
    ],
    node: "pinned",
    database: "both",
    features: ["cors"],
  });
  assert.deepEqual(readAnyRequest(gathered), request);
  assert.deepEqual([gathered, gatherShared(writeAnyRequest(flags("a=hono", "b=koa")))].map(isPlain), [false, true]);
});

test("dory new accepts either services or a framework", async () => {
  const args = ["new", "shop", "--service", "api=hono", "--framework", "koa"];
  const { code, stderr } = await dory(temporaryFolder(), args).outcome;
  assert.deepEqual([code, /Leave --framework out\. \(usage\)\n$/.test(stderr)], [1, true], stderr);
});

test("dory new makes an application, and prints what it made", async () => {
  const folder = temporaryFolder();
  const stdin = JSON.stringify({ name: "shop", services: [{ ...api, database: "postgres" }], node: "pinned" });
  const { stdout } = await dory(folder, ["new", "--json", "--no-install", "--no-git"], { stdin }).outcome;
  const { ok, request, files } = JSON.parse(stdout);
  assert.deepEqual([ok, request], [true, writeAnyRequest(read({ ...JSON.parse(stdin), id: request.id }))]);
  for (const path of files) assert.ok(existsSync(join(folder, "shop", path)), path);
  assert.equal(statSync(join(folder, "shop/.env")).mode & 0o777, 0o600);
});
