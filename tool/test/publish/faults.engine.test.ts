import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer } from "node:net";
import { delimiter, join } from "node:path";
import { describe, test } from "node:test";
import { readApplication } from "../../src/publish/application.ts";
import { listContextFiles } from "../../src/publish/context.ts";
import { checkBuildable } from "../../src/publish/image.ts";
import { readEnvFile } from "../../src/publish/secrets.ts";
import { doryHere } from "../dory.ts";
import { temporaryFolder } from "../support.ts";
import { noEngine, runDory } from "./support.ts";

/** A folder with as much of a project as a fault needs. */
function projectWith(publish: object = {}, files: Record<string, string> = {}): string {
  const folder = temporaryFolder();
  const document = { name: "my-api", framework: "hono", fields: ["name:string"], database: "both", publish };
  const all = {
    "dory.json": JSON.stringify(document),
    Dockerfile: "FROM scratch\n",
    ".dockerignore": ".env\n",
    ...files,
  };
  for (const [path, text] of Object.entries(all)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** A docker command that prints an engine's error. */
function dockerThatSays(stderr: string): NodeJS.ProcessEnv {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "docker"), `#!/bin/sh\nprintf '%s\\n' ${JSON.stringify(stderr)} >&2\nexit 1\n`);
  chmodSync(join(folder, "docker"), 0o755);
  return { PATH: `${folder}${delimiter}${process.env["PATH"]}` };
}

/** In a process of its own if it has an environment or input of its own. */
async function readFault(folder: string, args: string[], how?: object): Promise<string> {
  const { code, stdout, stderr } = await (how ? runDory(folder, args, how) : doryHere(folder, args));
  assert.equal(code, 1, stdout + stderr);
  assert.doesNotMatch(stdout + stderr, /\n +at /);
  assert.ok(!stderr.includes("undefined"), stderr);
  return stderr;
}

describe("dory publish reports what is wrong", () => {
  test("outside of a project", async () => {
    assert.match(await readFault(temporaryFolder(), ["publish"]), /no dory\.json .*\(application\)/);
  });

  test("for a flag of another command, which would be ignored", async () => {
    for (const [command = "", flag = ""] of [
      ["rollback", "--plan"],
      ["status", "--watch-seconds"],
      ["releases", "--no-smoke"],
      ["logs", "--wait"],
      ["publish", "--follow"],
    ])
      assert.match(
        await readFault(projectWith(), [command, flag]),
        new RegExp(`dory ${command} has no flag ${flag}.*\\(usage\\)`),
      );
  });

  test("with a dory.json that is not JSON", async () => {
    const folder = projectWith();
    writeFileSync(join(folder, "dory.json"), "{ name: }");
    assert.match(await readFault(folder, ["publish"]), /not valid JSON.*\(application\)/);
  });

  test("with unknown or invalid settings", async () => {
    const wrong: [object, RegExp][] = [
      [{ secret: ["X"] }, /"secret" is not known/],
      [{ secrets: "X" }, /"secrets" is a list/],
      [{ secrets: ["not-a-variable"] }, /"secrets" is a list/],
      [{ env: { PORT: 1 } }, /env\.PORT must be a string/],
      [{ env: { A: "x" }, secrets: ["A"] }, /A is both in env and in secrets/],
    ];
    for (const [publish, said] of wrong) assert.match(await readFault(projectWith(publish), ["publish"]), said);
  });

  test("in flags", async () => {
    const folder = projectWith();
    assert.match(await readFault(folder, ["publish", "--to", "kubernets"]), /unknown_target/);
    assert.match(await readFault(folder, ["publish", "--to", "dokcer"]), /Did you mean docker\?/);
    assert.match(await readFault(folder, ["publish", "--port", "http"]), /--port must be a whole number/);
    assert.match(await readFault(folder, ["publish", "--port", "8080", "--domain", "a.example"]), /Leave --port out/);
    assert.match(await readFault(folder, ["publish", "--domain", "http://a"]), /is not a domain name/);
    assert.match(await readFault(folder, ["publish", "everything"]), /Unexpected argument "everything"/);
    assert.match(await readFault(folder, ["publish", "--now"]), /has no flag --now/);
  });

  test("for secrets that are missing or blank, all at once", async () => {
    const folder = projectWith({ secrets: ["FIRST_SECRET", "SECOND_SECRET"] });
    const said = await readFault(folder, ["publish"], { env: { SECOND_SECRET: "  " } });
    assert.match(said, /FIRST_SECRET .*has no value.*SECOND_SECRET .*is blank.*\(secret_missing\)/);
  });

  test("for variables of the environment that nobody allowed, by name", async () => {
    const folder = projectWith({ secrets: ["AWS_SECRET_ACCESS_KEY", "NPM_TOKEN"] });
    const env = { AWS_SECRET_ACCESS_KEY: "visibly-fake-key-1", NPM_TOKEN: "visibly-fake-key-2" };
    for (const args of [
      ["publish", "--plan", "--json"],
      ["publish", "--env", "NPM_TOKEN"],
    ]) {
      const { code, stdout, stderr } = await runDory(folder, args, { env });
      assert.equal(code, 1);
      assert.match(stdout + stderr, /environment: AWS_SECRET_ACCESS_KEY.*--env AWS_SECRET_ACCESS_KEY/);
      assert.ok(!`${stdout}${stderr}`.includes("visibly-fake"));
    }
    assert.match(await readFault(folder, ["publish", "--env", "NPM_TOKN"], { env }), /NPM_TOKN.*\(usage\)/);
  });

  test("for folders and files outside of the project, also through links", () => {
    const outside = projectWith();
    const read = (folder: string) => checkBuildable(readApplication(folder));
    for (const [name, target] of [
      ["../x", undefined],
      [outside, undefined],
      ["inside/../..", undefined],
      ["link", outside],
    ] as const) {
      const folder = projectWith();
      if (target !== undefined) symlinkSync(target, join(folder, name));
      const services = { api: { folder: name } };
      writeFileSync(join(folder, "dory.json"), JSON.stringify({ name: "my-api", services }));
      assert.throws(() => read(folder), { code: "outside" }, name);
    }
    for (const name of ["Dockerfile", "openapi.json"]) {
      const folder = projectWith();
      rmSync(join(folder, name), { force: true });
      symlinkSync(join(outside, "dory.json"), join(folder, name));
      assert.throws(() => read(folder), { message: new RegExp(`${name} is outside of the project`) });
    }
  });

  test("for a file of variables in which a value would be truncated", async () => {
    const folder = projectWith({ secrets: ["TOKEN"] }, { ".env": "A=1\nTOKEN=abc#def\n", ".env2": 'TOKEN="abc\n' });
    assert.match(await readFault(folder, ["publish", "--env-file", ".env"]), /\.env, line 2: put the value in quotes/);
    assert.match(await readFault(folder, ["publish", "--env-file", ".env2"]), /never closed/);
    assert.match(await readFault(folder, ["publish", "--env-stdin"], { input: "TOKEN=a#b\n" }), /stdin, line 1/);
  });

  test("for a missing Dockerfile or lock file", async () => {
    const folder = projectWith({}, { Dockerfile: "FROM scratch\nCOPY package-lock.json ./\n" });
    assert.match(await readFault(folder, ["publish"]), /npm install there first.*\(no_lockfile\)/);
    rmSync(join(folder, "Dockerfile"));
    assert.match(await readFault(folder, ["publish"]), /\(no_dockerfile\)/);
  });

  test("for a secret in a build's files: file and line, not the secret", async () => {
    const key = ["-----BEGIN", "RSA PRIVATE KEY-----"].join(" ");
    const token = `ghp_${"0fake1token2".repeat(3)}`;
    const planted = `const a = 1;\nconst token = "${token}";\n`;
    const folder = projectWith(
      { secrets: ["PLANTED"] },
      { "src/a.ts": planted, "src/b.ts": 'const b = "visibly-fake-value";\n', ".env": `X=${token}\n` },
    );
    const said = await readFault(folder, ["publish", "--env", "PLANTED"], { env: { PLANTED: "visibly-fake-value" } });
    assert.match(said, /src\/a\.ts:2 github/);
    assert.match(said, /src\/b\.ts:1 the value of PLANTED/);
    assert.match(said, /\(secret_in_context\)/);
    assert.ok(!said.includes(token) && !said.includes("visibly-fake-value") && !said.includes(".env:"), said + key);
  });

  test("when the engine is missing, too old, full, or not permitted", async () => {
    const words: [string, string][] = [
      [
        "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?",
        "no_engine",
      ],
      [
        "Got permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock",
        "engine_permission",
      ],
      ["error during connect: ssh: connect to host example.com port 22: Connection refused", "engine_ssh"],
      [
        "Error response from daemon: client version 1.24 is too old. Minimum supported API version is 1.44",
        "engine_too_old",
      ],
      ["Error response from daemon: no space left on device", "disk_full"],
    ];
    for (const [said, code] of words)
      assert.match(
        await readFault(projectWith(), ["publish"], { env: dockerThatSays(said) }),
        new RegExp(`\\(${code}\\)`),
        said,
      );
    assert.match(await readFault(projectWith(), ["publish"], { env: { PATH: temporaryFolder() } }), /\(no_docker\)/);
  });

  test("when no engine answers at DOCKER_HOST", async () => {
    const how = { env: { DOCKER_HOST: "unix:///nowhere/docker.sock" } };
    for (const command of ["publish", "releases", "status", "logs", "rollback"])
      assert.match(await readFault(projectWith(), [command], how), /\(no_(engine|docker)\)/, command);
  });

  test("as JSON for programs", async () => {
    const { code, stdout } = await runDory(projectWith({ secrets: ["NOT_SET"] }), ["publish", "--json"]);
    assert.equal(code, 1);
    const last = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    assert.deepEqual({ ok: last.ok, code: last.code }, { ok: false, code: "secret_missing" });
  });
});

describe("dory publish, with an engine, reports what is wrong", { skip: noEngine }, () => {
  test("when the port is taken", async () => {
    const server = createServer().listen(18_189, "127.0.0.1");
    const said = await readFault(projectWith(), ["publish", "--port", "18189"]);
    server.close();
    assert.match(said, /port 18189 .*Choose another.*\(port_taken\)/);
  });

  test("when nothing is published yet", async () => {
    const folder = projectWith();
    assert.match(await readFault(folder, ["rollback"]), /\(no_release\)/);
    assert.match(await readFault(folder, ["logs"]), /\(not_published\)/);
    assert.match((await runDory(folder, ["status"])).stdout, /is not published here/);
    assert.match((await runDory(folder, ["releases"])).stdout, /is not published here/);
  });

  test("when an image cannot be pulled", async () => {
    const folder = projectWith();
    const services = { web: { image: "localhost:1/no/such:image", port: 80 } };
    writeFileSync(join(folder, "dory.json"), JSON.stringify({ name: "my-api", services }));
    assert.match(await readFault(folder, ["publish"]), /\((image_not_found|registry_unreachable)\)/);
  });

  test("when the registry asks for a password", async () => {
    const registry = createHttpServer((_req, res) => {
      res.writeHead(401, {
        "WWW-Authenticate": 'Basic realm="fake"',
        "Docker-Distribution-Api-Version": "registry/2.0",
      });
      res.end('{"errors":[{"code":"UNAUTHORIZED","message":"authentication required"}]}');
    }).listen(0, "127.0.0.1");
    await once(registry, "listening");
    const { port } = registry.address() as { port: number };
    const folder = projectWith({}, { Dockerfile: 'FROM caddy:2\nUSER 65532\nCMD ["true"]\n' });
    const said = await readFault(folder, ["publish", "--registry", `127.0.0.1:${port}/x`, "--no-smoke"]);
    registry.close();
    assert.match(said, /Run docker login.*\n[\s\S]*\(registry_login\)/);
  });

  test("when the registry does not answer", async () => {
    const folder = projectWith({}, { Dockerfile: 'FROM caddy:2\nUSER 65532\nCMD ["true"]\n' });
    const said = await readFault(folder, ["publish", "--registry", "localhost:1/x", "--no-smoke"]);
    assert.match(said, /\(registry_unreachable\)/);
  });
});

describe("a file of variables", () => {
  test("is read with quotes, several lines and comments", () => {
    const path = join(temporaryFolder(), "variables");
    writeFileSync(path, `# comment # with hash\nA=plain\nB="with # hash"\nC='two\nlines'\nexport D=x\n`);
    assert.deepEqual({ ...readEnvFile(path) }, { A: "plain", B: "with # hash", C: "two\nlines", D: "x" });
  });
});

describe("the files of a build", () => {
  test("are those that .dockerignore includes", () => {
    const folder = projectWith(
      {},
      { ".dockerignore": "*\n!src\nsrc/private\n", "src/a.ts": "", "src/private/b": "", x: "" },
    );
    assert.deepEqual(listContextFiles(folder), ["src/a.ts"]);
    rmSync(join(folder, ".dockerignore"));
    assert.deepEqual(listContextFiles(folder).sort(), ["Dockerfile", "dory.json", "src/a.ts", "src/private/b", "x"]);
    assert.ok(readFileSync(join(folder, "x"), "utf8") === "");
  });
});
