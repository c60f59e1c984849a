import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, mock, test } from "node:test";
import { docker } from "../../src/publish/engine/docker.ts";
import { sealed, whole } from "../../src/publish/engine/lease.ts";
import { progressFor } from "../../src/publish/progress.ts";
import { temporaryFolder } from "../support.ts";

describe("a script that runs in the lease's container", () => {
  /** Runs it with an input that is never closed, as some engines do. */
  async function outputOf(script: string, sent: string): Promise<{ code: number; stdout: string }> {
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
    const { code, stdout } = await outputOf(sealed("cat", input), input);
    assert.deepEqual([code, whole(stdout)], [0, input.trim()]);
  });

  test("does not wait for input if there is none", async () => {
    const { code, stdout } = await outputOf(sealed("echo done"), "");
    assert.deepEqual([code, whole(stdout)], [0, "done"]);
  });

  test("reports an input or output that was cut off", async () => {
    const child = spawn("sh", ["-ec", sealed("cat", "all of it")], { stdio: ["pipe", "ignore", "ignore"] });
    child.stdin.end("all");
    assert.notEqual((await once(child, "close"))[0], 0);
    assert.throws(() => whole("only a part"), { code: "engine_lost" });
  });
});

describe("a call that an engine does not answer", () => {
  /** A docker command that never answers the first call. */
  function forgetful(): { calls: () => number; env: NodeJS.ProcessEnv } {
    const folder = temporaryFolder();
    const log = join(folder, "calls");
    writeFileSync(log, "");
    writeFileSync(
      join(folder, "docker"),
      `#!/bin/sh\necho call >> '${log}'\n[ "$(wc -l < '${log}')" -gt 1 ] || exec sleep 60\necho answer\n`,
    );
    chmodSync(join(folder, "docker"), 0o755);
    const env = { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}` };
    return { calls: () => readFileSync(log, "utf8").split("\n").length - 1, env };
  }

  test("is retried if it only reads", async () => {
    const { calls, env } = forgetful();
    const path = process.env["PATH"];
    process.env["PATH"] = env["PATH"];
    try {
      assert.equal(await docker(["volume", "ls"], { timeoutMs: 1000 }), "answer");
    } finally {
      process.env["PATH"] = path;
    }
    assert.equal(calls(), 2);
  });

  test("is not retried if it changes something, and reports what to do", async () => {
    const { calls, env } = forgetful();
    const path = process.env["PATH"];
    process.env["PATH"] = env["PATH"];
    try {
      await assert.rejects(docker(["volume", "rm", "x"], { timeoutMs: 1000 }), { code: "engine_lost" });
    } finally {
      process.env["PATH"] = path;
    }
    assert.equal(calls(), 1);
  });
});

describe("a step that takes long", () => {
  for (const isJson of [false, true])
    test(`prints its progress every ten seconds${isJson ? ", also to programs" : ""}`, async () => {
      const lines: string[] = [];
      const log = mock.method(console, "log", (line: string) => void lines.push(line));
      mock.timers.enable({ apis: ["setInterval"] });
      try {
        await progressFor({ isJson }).step("build", "Build it", async (update) => {
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
