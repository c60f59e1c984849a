import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Application } from "../../src/publish/application.ts";
import type { Release } from "../../src/publish/release.ts";
import { listWarnings } from "../../src/publish/warnings.ts";

const shop = (env: Record<string, string> = {}): Application => ({
  name: "shop",
  folder: ".",
  services: [
    { name: "api", port: 3000, env, secrets: ["DATABASE_URL"] },
    { name: "db.shop", image: "postgres:18", port: 5432, env: {}, secrets: [] },
  ],
});
const withUrl = (url: string, env = {}) => listWarnings(shop(env), { secrets: { api: { DATABASE_URL: url } } });

describe("before a publish, dory warns", () => {
  test("that a remote engine's port is open and unencrypted, unless there is a domain", () => {
    const secrets = {};
    assert.match(
      listWarnings(shop(), { engineHost: "203.0.113.7", secrets })[0] ?? "",
      /open on 203\.0\.113\.7.*plain HTTP.*--domain/,
    );
    assert.deepEqual(listWarnings(shop(), { engineHost: "203.0.113.7", domain: "api.example.com", secrets }), []);
    for (const engineHost of [undefined, "127.0.0.1", "localhost", "[::1]"])
      assert.deepEqual(listWarnings(shop(), { engineHost, secrets }), []);
  });

  test("that a remote PostgreSQL server is used without TLS, without the URL", () => {
    for (const url of [
      "postgres://shop:visibly-fake@db.example.com/shop",
      "postgresql://shop:p@ss@203.0.113.7:5432/shop?sslmode=disable",
      "postgres://shop:visibly-fake@[2001:db8::1]/shop",
      "postgres:///shop?host=db.example.com&password=visibly-fake",
    ]) {
      const [said = "", ...more] = withUrl(url);
      assert.match(said, /^DATABASE_URL of api .*without TLS.*sslmode=verify-full/, url);
      assert.doesNotMatch(said, /visibly-fake|example\.com|203\.0/);
      assert.deepEqual(more, []);
    }
    const [said] = listWarnings(shop({ READ_URL: "postgres://db.example.com/shop" }), { secrets: {} });
    assert.match(said ?? "", /^READ_URL of api/);
  });

  test("but not if it is encrypted or in a private network", () => {
    for (const query of [
      "sslmode=verify-full",
      "sslmode=require",
      "ssl=true",
      "sslnegotiation=direct",
      "sslrootcert=system",
    ])
      assert.deepEqual(withUrl(`postgres://shop:x@db.example.com/shop?${query}`), [], query);
    assert.deepEqual(withUrl("postgres://db.example.com/shop", { PGSSLMODE: "require" }), []);
    assert.deepEqual(withUrl("postgres://db.example.com/shop", { DATABASE_CA: "-----BEGIN CERTIFICATE-----" }), []);
    assert.deepEqual(withUrl("postgres://db.example.com/shop", { DATABASE_CA: "system" }), []);
    for (const host of ["database", "db.shop", "localhost:5432", "10.1.2.3", "172.31.0.1", "192.168.1.1", "100.64.0.1"])
      assert.deepEqual(withUrl(`postgres://shop:x@${host}/shop`), [], host);
    for (const host of ["[fd00::1]", "[::1]:5432", "db.default.svc.cluster.local", "db.internal"])
      assert.deepEqual(withUrl(`postgres://shop:x@${host}/shop`), [], host);
    for (const url of ["postgres:///shop?host=/var/run/postgresql", "file:./data/items.db"])
      assert.deepEqual(withUrl(url), [], url);
    for (const host of ["172.32.0.1", "100.128.0.1", "11.0.0.1"])
      assert.equal(withUrl(`postgres://${host}/x`).length, 1, host);
  });

  test("by what the server allowed when the live release was published, if that is known", () => {
    const secrets = { api: { DATABASE_URL: "postgres://shop:visibly-fake@database/shop" } };
    const warn = (allowed: number, isPooled = false) => {
      const live = { id: "r3", limits: { api: { allowed, isPooled } } } as unknown as Release;
      return listWarnings(shop(), { secrets, replicas: 3, live });
    };
    assert.deepEqual([...warn(60), ...warn(10, true)], []);
    assert.match(
      warn(59).join("\n"),
      /^api may open 30 connections .*more than the 59 that the server allowed when r3 was published/,
    );
  });

  test("that all replicas together may open more connections than a server usually allows", () => {
    const secrets = { api: { DATABASE_URL: "postgres://shop:visibly-fake@database/shop" } };
    const warn = (replicas: number, env = {}) => listWarnings(shop(env), { secrets, replicas });
    assert.deepEqual([...warn(5), ...warn(20, { DATABASE_POOL_SIZE: "2" })], []);
    assert.match(
      warn(6).join("\n"),
      /^api may open 60 connections .*max_connections.*set DATABASE_POOL_SIZE to less\.$/,
    );
    assert.match(warn(1, { DATABASE_POOL_SIZE: "80" }).join(), /may open 80 connections/);
    assert.deepEqual(
      listWarnings(shop(), { secrets: { api: { DATABASE_URL: "file:./data/items.db" } }, replicas: 9 }),
      [],
    );
  });
});
