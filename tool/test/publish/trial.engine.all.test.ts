import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { after, before, describe, test } from "node:test";
import { change, docker, newProject, noEngine, runDory, unpublish } from "./support.ts";

const application = "dory-test-trial";
// The push after the trial fails, so nothing is published.
const flags = ["publish", "--port", "18183", "--registry", "localhost:1/x"];

/** Everything that a trial makes has a label. */
const leftovers = async () =>
  (await Promise.all(["volume", "network"].map((kind) => docker(kind, "ls", "-q", "--filter", "label=dory.smoke"))))
    .concat(await docker("ps", "-aq", "--filter", "name=dory-smoke-"))
    .join("");

describe("the trial of a project on PostgreSQL", { skip: noEngine }, () => {
  let folder: string;
  let connections = 0;
  const production = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  before(async () => {
    folder = await newProject(application, "--database", "postgres", "--with", "auth");
    change(folder, "dory.json", (request) => (request.publish = { secrets: ["DATABASE_URL", "API_TOKENS"] }));
    await once(production.listen(0, "0.0.0.0"), "listening");
  });
  after(async () => {
    production.close();
    await unpublish(folder);
    const tagged = await docker("images", "--format", "{{.Repository}}:{{.Tag}}", `localhost:1/x/${application}`);
    for (const tag of tagged.split("\n").filter(Boolean)) await docker("rmi", tag);
  });

  const env = () => {
    const host = Object.values(networkInterfaces()).flatMap(
      (all) => all?.find(({ internal, family }) => !internal && family === "IPv4") ?? [],
    )[0];
    const { port } = production.address() as { port: number };
    return {
      DATABASE_URL: `postgres://shop:visibly-fake@${host?.address ?? "127.0.0.1"}:${port}/shop`,
      API_TOKENS: "visibly-fake-token-of-production-0000000000",
    };
  };

  test("runs on its own server, with its own tokens, and leaves nothing", async () => {
    const { code, stdout, stderr } = await runDory(folder, [...flags, "--env", "DATABASE_URL,API_TOKENS"], {
      env: env(),
    });
    assert.equal(code, 1, stdout);
    assert.match(stdout, /✓ Test dory-test-trial/, stderr);
    assert.match(stderr, /\(registry_unreachable\)/);
    assert.equal(connections, 0, "the real database was asked");
    assert.equal(await leftovers(), "");
  });

  test("that fails shows the exit code and the log, names the stand-ins, and leaves nothing", async () => {
    change(folder, "dory.json", ({ publish }) => {
      publish.env = { LOG_LEVEL: "loud" };
      publish.secrets = ["DATABASE_URL", "API_TOKENS", "CACHE_URL"];
    });
    const cache = "redis://:visibly-fake@cache.example.com";
    const allowed = ["--env", "DATABASE_URL", "--env", "API_TOKENS", "--env", "CACHE_URL"];
    const { stderr } = await runDory(folder, [...flags, ...allowed], { env: { ...env(), CACHE_URL: cache } });
    assert.match(
      stderr,
      /dory-test-trial ended with exit code 1 in its trial\. Its log says: LOG_LEVEL must be one of .*\nLast lines of its log:\n {2}LOG_LEVEL/,
    );
    assert.match(stderr, /stand-ins for CACHE_URL/);
    assert.doesNotMatch(stderr, /OCI runtime|Last health answer|visibly-fake/);
    assert.equal(connections, 0);
    assert.equal(await leftovers(), "");
  });
});
