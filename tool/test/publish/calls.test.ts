import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, mock, test } from "node:test";
import { docker, inspectAll } from "../../src/publish/engine/docker.ts";
import { readSealed, sealScript } from "../../src/publish/engine/lease.ts";
import { createProgress } from "../../src/publish/progress.ts";
import { temporaryFolder } from "../support.ts";

describe("a script that runs in the lease's container", () => {
  /** Runs it with an input that is never closed, as some engines do. */
  async function runScript(script: string, sent: string): Promise<{ code: number; stdout: string }> {
    const child = spawn("sh", ["-ec", script], { stdio: ["pipe", "pipe", "ignore"] });
    let stdout = "";
    child.stdout.on("data", (text) => (stdout += text));
    child.stdin.on("error", () => {}).write(sent);
    const [code] = await once(child, "close");
    child.stdin.destroy();
    return { code, stdout: stdout.trimEnd() };
  }

  test("ends although its input does not, and reads all of it", async () => {
    const input = "first line\nsecond line, with ü\n";
    const { code, stdout } = await runScript(sealScript("cat", input), input);
    assert.deepEqual([code, readSealed(stdout)], [0, input.trim()]);
  });

  test("does not wait for input if there is none", async () => {
    const { code, stdout } = await runScript(sealScript("echo done"), "");
    assert.deepEqual([code, readSealed(stdout)], [0, "done"]);
  });

  test("reports an input or output that was cut off", async () => {
    const child = spawn("sh", ["-ec", sealScript("cat", "all of it")], { stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.end("all");
    assert.notEqual((await once(child, "close"))[0], 0);
    assert.throws(() => readSealed("only a part"), { code: "engine_lost" });
  });
});

/** Runs a function while `docker` is a script. */
async function whileDockerIs<T>(script: string, work: () => Promise<T>): Promise<T> {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "docker"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "docker"), 0o755);
  const path = process.env["PATH"];
  process.env["PATH"] = `${folder}${delimiter}${path}`;
  try {
    return await work();
  } finally {
    process.env["PATH"] = path;
  }
}

describe("a call that an engine does not answer", () => {
  /** A docker command that never answers the first call. */
  function forgetful(): { calls: () => number; script: string } {
    const log = join(temporaryFolder(), "calls");
    writeFileSync(log, "");
    return {
      calls: () => readFileSync(log, "utf8").split("\n").length - 1,
      script: `echo call >> '${log}'\n[ "$(wc -l < '${log}')" -gt 1 ] || exec sleep 60\necho answer`,
    };
  }

  test("is retried if it only reads", async () => {
    const { calls, script } = forgetful();
    await whileDockerIs(script, async () => {
      assert.equal(await docker(["volume", "ls"], { timeoutMs: 5000 }), "answer");
    });
    assert.equal(calls(), 2);
  });

  test("is not retried if it changes something, and reports what to do", async () => {
    const { calls, script } = forgetful();
    await whileDockerIs(script, () =>
      assert.rejects(docker(["volume", "rm", "x"], { timeoutMs: 5000 }), { code: "engine_lost" }),
    );
    assert.equal(calls(), 1);
  });
});

describe("a call about several things", () => {
  const answering = (stdout: string, ...errors: string[]) =>
    [`echo '${stdout}'`, ...errors.map((error) => `echo '${error}' >&2`), `exit ${Math.min(errors.length, 1)}`].join(
      "\n",
    );

  test("leaves out what does not exist", async () => {
    const script = answering('[{"Id":"a"}]', "Error response from daemon: No such container: b");
    assert.deepEqual(await whileDockerIs(script, () => inspectAll("container", ["a", "b"])), [{ Id: "a" }]);
  });

  test("is not made for nothing", async () => {
    assert.deepEqual(await whileDockerIs("exit 1", () => inspectAll("container", [])), []);
  });

  for (const [error, code] of [
    ["error during connect: dial tcp: lookup nowhere.invalid: no such host", "no_engine"],
    ["Error response from daemon: This node is not a swarm manager.", "docker"],
  ] as const)
    test(`does not take another failure for that: ${error}`, async () => {
      const script = answering("[]", "Error response from daemon: No such container: a", error);
      await whileDockerIs(script, () => assert.rejects(inspectAll("container", ["a", "b"]), { code }));
    });
});

describe("a step that takes long", () => {
  for (const isJson of [false, true])
    test(`prints its progress every ten seconds${isJson ? ", also to programs" : ""}`, async () => {
      const lines: string[] = [];
      const log = mock.method(console, "log", (line: string) => void lines.push(line));
      mock.timers.enable({ apis: ["setInterval"] });
      try {
        await createProgress({ isJson }).step("build", "Build it", async (update) => {
          update("layer 3 of 8");
          mock.timers.tick(21_000);
        });
      } finally {
        mock.timers.reset();
        log.mock.restore();
      }
      assert.equal(lines.filter((line) => line.includes("layer 3 of 8")).length, 2, lines.join("\n"));
    });
});
