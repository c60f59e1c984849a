import assert from "node:assert/strict";
import { once } from "node:events";
import { appendFileSync } from "node:fs";
import { request } from "node:https";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Dory, docker, newProject, noEngine, runDory, unpublish } from "./support.ts";

const application = "dory-test-reach";
const port = 18_183;
const flags = ["publish", "--watch-seconds", "1", "--no-smoke"];

/** An engine whose connection can be cut. */
async function engineOverTcp() {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const engine = connect({ path: "/var/run/docker.sock", allowHalfOpen: true });
    for (const socket of [client, engine]) {
      sockets.add(socket);
      socket.on("error", () => {}).once("close", () => sockets.delete(socket));
    }
    client.pipe(engine).pipe(client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    env: { DOCKER_HOST: `tcp://127.0.0.1:${port}` },
    lose() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Of the health of an application with a domain. */
const fetchStatus = (domain: string) =>
  new Promise((resolve, reject) => {
    const how = { host: "127.0.0.1", servername: domain, headers: { Host: domain }, rejectUnauthorized: false };
    request({ ...how, path: "/health" }, (answer) => resolve(answer.resume().statusCode))
      .once("error", reject)
      .end();
  });

describe("a remote engine", { skip: noEngine }, () => {
  let folder: string;
  before(async () => {
    folder = await newProject(application);
    await unpublish(folder);
  });
  after(() => unpublish(folder));

  test("serves on a public port, and prints the URL with its host name", async () => {
    const engine = await engineOverTcp();
    const { code, stdout, stderr } = await runDory(folder, [...flags, "--port", String(port)], { env: engine.env });
    engine.lose();
    assert.equal(code, 0, stdout + stderr);
    assert.equal(stdout.trimEnd().split("\n").at(-1), `http://127.0.0.1:${port}`);
    const bindings = await docker("inspect", "-f", "{{json .HostConfig.PortBindings}}", `dory-proxy-${port}`);
    assert.match(bindings, /"HostIp":""/);
  });

  test("lost at any step, it keeps serving, and the same command recovers", async () => {
    for (const step of ["start", "health", "watch"]) {
      const engine = await engineOverTcp();
      // No release has the image that is built now; recovery must not remove it.
      appendFileSync(join(folder, "Dockerfile"), `LABEL again=${step}\n`);
      const dory = new Dory(folder, [...flags, "--wait", "--json"], { env: engine.env });
      await dory.reached(step);
      engine.lose();
      const { code, stdout, stderr } = await dory.ended();
      assert.ok(code === 1 || code === 3, stdout + stderr);
      assert.match(
        stdout,
        /"code":"(no_engine|engine_lost|lease|lease_lost|registry_unreachable|docker|crashed|unhealthy|rollback_failed)"/,
      );
      assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
    }
    const again = await runDory(folder, [...flags, "--wait"]);
    assert.equal(again.code, 0, again.stderr);
    const running = await docker("ps", "-a", "--filter", `label=dory.application=${application}`, "-q");
    assert.equal(running.split("\n").length, 1);
  });

  test("serves a domain over HTTPS, and closes its previous port", async () => {
    const { code, stdout, stderr } = await runDory(folder, [...flags, "--domain", "reach.localhost"]);
    assert.equal(code, 0, stdout + stderr);
    assert.equal(stdout.trimEnd().split("\n").at(-1), "https://reach.localhost");
    assert.equal(await fetchStatus("reach.localhost"), 200);
    assert.equal(await docker("ps", "-aq", "--filter", `label=dory.proxy=${port}`), "");
    assert.equal(await docker("network", "ls", "-q", "--filter", `name=^dory-${port}$`), "");
  });

  test("applications that share the proxy for domains cannot reach each other", async () => {
    const neighbour = await newProject(`${application}-two`);
    try {
      const { code, stdout, stderr } = await runDory(neighbour, [...flags, "--domain", "two.localhost"]);
      assert.equal(code, 0, stdout + stderr);
      const names = (name: string) =>
        docker("ps", "--filter", `label=dory.application=${name}`, "--format", "{{.Names}}");
      const [own, other] = [await names(application), await names(`${application}-two`)];
      const format = "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}";
      const address = await docker("inspect", "-f", format, other);
      const label = other.replace(/.*--/, "");
      for (const host of [address, `${label}.${application}-two`, "dory-proxy-domains"]) {
        const script = `fetch("http://${host}:3000/health", { signal: AbortSignal.timeout(3000) }).then(({ status }) => console.log(status), () => console.log("no"))`;
        assert.equal(await docker("exec", own, "/nodejs/bin/node", "-e", script), "no", host);
      }
      assert.equal(await fetchStatus("reach.localhost"), 200);
      assert.equal(await fetchStatus("two.localhost"), 200);
    } finally {
      await unpublish(neighbour);
    }
    assert.equal(await fetchStatus("reach.localhost"), 200);
  });
});
