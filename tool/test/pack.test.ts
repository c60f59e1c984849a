import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { repository, run, temporaryFolder } from "./support.ts";

const majors = ["20", "22", "26"];

describe("the package", () => {
  const folder = temporaryFolder();

  before(async () => {
    await run(join(repository, "tool"), "npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", folder);
    writeFileSync(join(folder, "package.json"), '{ "private": true }');
    const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
    const nodes = majors.map((major) => `node-${major}@npm:node-${process.platform}-${process.arch}@${major}`);
    await run(folder, "npm", "install", "--no-audit", "--no-fund", "--no-bin-links", `./${tarball}`, ...nodes);
  });

  for (const major of majors)
    test(`makes a project on Node ${major}, without the network`, async () => {
      const node = join(folder, `node_modules/node-${major}/bin/node`);
      assert.match(await run(folder, node, "--version"), new RegExp(`^v${major}\\.`));
      const dory = join(folder, "node_modules/dory/bin/dory.js");
      await run(folder, node, dory, "new", `on-${major}`, "--framework", "koa", "--no-install");
      assert.ok(readdirSync(join(folder, `on-${major}`)).includes(".gitignore"));
    });

  test("makes a project that installs, checks, tests and starts for real", async () => {
    const fields = ["--field", "title:string(1..80)", "--field", "tags:string[]?"];
    const dory = join(folder, "node_modules/dory/bin/dory.js");
    await run(folder, process.execPath, dory, "new", "real", "--framework", "fastify", ...fields);
    const project = join(folder, "real");
    assert.equal(await run(project, "git", "status", "--short"), "");
    await run(project, "npm", "run", "check");
    assert.match(await run(project, "npm", "test"), /^ℹ fail 0$/m);
    await startsAndStops(project);
  });
});

async function startsAndStops(project: string): Promise<void> {
  const env = { ...process.env, PORT: "0", HOST: "127.0.0.1" };
  const child = spawn("npm", ["start"], { cwd: project, env, detached: true });
  let output = "";
  const port = await new Promise<number>((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      output += chunk;
      const [, port] = /"listening","port":(\d+)/.exec(output) ?? [];
      if (port) resolve(Number(port));
    });
    child.once("exit", () => reject(new Error(`npm start ended: ${output}`)));
  });
  assert.equal((await fetch(`http://127.0.0.1:${port}/health`)).status, 200);
  // To all that npm started, as a terminal does: npm itself passes no signal on.
  process.kill(-(child.pid as number), "SIGTERM");
  await once(child, "close");
}
