import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "../support.ts";
import { docker, newProject, noEngine } from "./support.ts";

const tag = "dory-test-image";
const hardened = "--read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges".split(" ");

/** With the framework whose packages are largest, and all features. */
describe("the image, made by docker build alone", { skip: noEngine }, () => {
  before(async () => {
    const folder = await newProject(tag, "--framework", "nest");
    writeFileSync(join(folder, ".env"), "API_TOKENS=visibly-fake-value-in-a-file-that-must-stay-out\n");
    await run(folder, "docker", "build", "-q", "-t", tag, ".");
  });
  after(async () => {
    await docker("rm", "-f", "-v", tag).catch(() => {});
    await docker("volume", "rm", "-f", tag);
    await docker("rmi", "-f", tag);
  });

  const health = () => docker("inspect", "-f", "{{.State.Health.Status}}", tag);
  const stop = async () => {
    await docker("stop", "-t", "12", tag);
    const code = await docker("inspect", "-f", "{{.State.ExitCode}}", tag);
    await docker("rm", "-v", tag);
    return code;
  };
  const inside = (code: string) => docker("exec", tag, "/nodejs/bin/node", "-e", code);
  const healthy = async () => {
    for (let waited = 0; waited < 40 && (await health()) !== "healthy"; waited++) await sleep(500);
    return health();
  };

  test("adds at most 3 MB to its base", async () => {
    const size = async (image: string) => Number(await docker("inspect", "-f", "{{.Size}}", image));
    assert.ok((await size(tag)) - (await size("gcr.io/distroless/nodejs26-debian13:nonroot")) <= 3_000_000);
  });

  test("holds one file of ours, its source map and the list of its packages, which belong to root, and a place for data", async () => {
    const container = await docker("create", tag);
    const listing = execFileSync("sh", ["-c", `docker export ${container} | tar -tv --numeric-owner`], {
      encoding: "utf8",
      maxBuffer: 1e8,
    });
    await docker("rm", "-v", container);
    const ours = listing
      .split("\n")
      .filter((line) => / app\//.test(line))
      .map((line) => [...line.split(/\s+/).slice(0, 2), line.split(" ").at(-1)]);
    assert.deepEqual(ours, [
      ["drwxr-xr-x", "0/0", "app/"],
      ["drwxrwx---", "65532/0", "app/data/"],
      ["-rw-r--r--", "0/0", "app/main.cjs"],
      ["-rw-r--r--", "0/0", "app/main.cjs.map"],
      ["-rw-r--r--", "0/0", "app/sbom.cdx.json"],
    ]);
    assert.doesNotMatch(listing, /node_modules|\bnpm\b|\.env|bin\/(sh|bash|dash|busybox)$|\.git\//m);
    const layers = execFileSync("sh", ["-c", `docker save ${tag} | tar -xO`], { maxBuffer: 1e9 });
    assert.ok(!layers.includes("visibly-fake-value"));
  });

  test("runs with a read-only root and without capabilities, turns healthy, and ends with 0", async () => {
    await docker("run", "-d", "--name", tag, ...hardened, tag);
    assert.equal(await healthy(), "healthy");
    assert.equal(await inside("console.log(process.getuid())"), "65532");
    assert.equal(await stop(), "0");
  });

  test("runs as any user of the group that a user without one is in", async () => {
    for (const user of ["12345", "0"]) {
      await docker("run", "-d", "--name", tag, ...hardened, "--user", user, "--health-interval", "500ms", tag);
      assert.equal(await healthy(), "healthy", user);
      assert.equal(await stop(), "0");
    }
  });

  test("keeps its data in a volume", async () => {
    const post = `fetch("http://127.0.0.1:3000/items",{method:"POST",headers:{"Content-Type":"application/json"},body:'{"name":"Boat"}'}).then((answer)=>console.log(answer.status))`;
    const list = `fetch("http://127.0.0.1:3000/items").then(async(answer)=>console.log((await answer.json()).items.length))`;
    for (const [code, answer] of [
      [post, "201"],
      [list, "1"],
    ] as const) {
      await docker(
        "run",
        "-d",
        "--name",
        tag,
        ...hardened,
        "-v",
        `${tag}:/app/data`,
        "--health-interval",
        "500ms",
        tag,
      );
      assert.equal(await healthy(), "healthy");
      assert.equal(await inside(code), answer);
      assert.equal(await stop(), "0");
    }
  });
});
