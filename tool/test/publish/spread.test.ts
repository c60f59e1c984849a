import assert from "node:assert/strict";
import { test } from "node:test";
import { specifyProxy } from "../../src/publish/swarm/proxy.ts";
import { isEven } from "../../src/publish/swarm/spread.ts";

test("tasks are spread if no node has two more than another", () => {
  assert.ok(isEven(["a", "b", "c"], ["a", "b", "c"]));
  assert.ok(isEven(["a", "b", "c"], ["a", "b", "c", "a"]));
  assert.ok(isEven(["a"], ["a", "a", "a"]));
  assert.ok(!isEven(["a", "b", "c"], ["a", "a", "b"]));
  assert.ok(!isEven(["a", "b"], ["b", "b"]));
});

test("a proxy listens only when it knows tasks, and leaves a node that does not answer", () => {
  const { command, sysctls } = specifyProxy({ application: "shop", port: 8080, service: "api", servicePort: 3000 });
  assert.match(String(command), /until getent hosts tasks\.shop_api .*; exec caddy run/);
  assert.deepEqual(sysctls, { "net.ipv4.tcp_retries2": "4" });
});
