import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually } from "../../../backend/kit/test/eventually.ts";
import { writeQuery } from "../../src/new/query.ts";
import { change, docker, isUp, noEngine, runDory, unpublish } from "../publish/support.ts";
import { project, repository, run, temporaryFolder } from "../support.ts";
import { readTgz } from "./archives.ts";
import { createRandom, createRequest } from "./random.ts";

const image = "dory-test-generator";
const port = 18_380;
/** What the page and the plans of a platform promise. */
const memory = "200m";

describe("the image of the generator", { skip: noEngine }, () => {
  before(() => run(repository, "docker", "build", "-q", "-f", "generator/Dockerfile", "-t", image, "."));
  after(async () => {
    await docker("rm", "-f", "-v", image).catch(() => {});
    await docker("rmi", "-f", image).catch(() => {});
  });

  test(`serves what dory new writes, as a user without rights, without a disk, with ${memory} of memory`, async () => {
    const limits = ["--memory", memory, "--memory-swap", memory, "--read-only", "--cap-drop", "ALL"];
    const env = ["-e", "RATE_LIMIT=100000"];
    await docker("run", "-d", "--name", image, ...limits, ...env, "-p", "127.0.0.1::3000", image);
    const url = `http://${(await docker("port", image, "3000")).split("\n")[0]}`;
    await eventually(() => isUp(url), "the container to answer");
    assert.match(await (await fetch(url, { headers: { accept: "text/html" } })).text(), /<title>/);
    const answer = await fetch(`${url}/projects/shop.tgz?framework=koa&with=item-routes&node=pinned`);
    const expected = [...project({ name: "shop", framework: "koa", features: ["item-routes"] })];
    assert.deepEqual(
      [...readTgz(Buffer.from(await answer.arrayBuffer()))],
      expected.sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    const random = createRandom(7);
    for (let count = 0; count < 500; count++) {
      const { name, ...request } = createRequest(random);
      const { status } = await fetch(`${url}/projects/${name}.tgz?${writeQuery(request)}`);
      assert.equal(status, 200);
    }
    const [state = "", user] = (await docker("inspect", "-f", "{{.State.Status}} {{.Config.User}}", image)).split(" ");
    assert.deepEqual([state, user], ["running", "65532"]);
  });
  test("is published as the README says", async () => {
    const folder = join(temporaryFolder(), image);
    cpSync(join(repository, "generator"), folder, { recursive: true });
    change(folder, "dory.json", (request) => {
      Object.assign(request, { name: image, id: "0123456789abcdef" });
      request.services.generator.image = `${image}:latest`;
    });
    await unpublish(folder);
    const { code, stdout, stderr } = await runDory(folder, ["publish", "--port", String(port), "--watch-seconds", "1"]);
    assert.equal(code, 0, stdout + stderr);
    const url = stdout.trimEnd().split("\n").at(-1) ?? "";
    assert.equal((await fetch(`${url}/projects/shop.tgz?framework=hono`)).status, 200);
    await unpublish(folder);
  });
});
