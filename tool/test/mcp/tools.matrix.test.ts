import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { earlier, isInThisRun } from "../../../backend/test/support/matrix.ts";
import { bin, pathWith } from "../dory.ts";
import { run, temporaryFolder } from "../support.ts";
import { Assistant, eras } from "./client.ts";

/** Clients of the older era do the same in `npm run test:all`. */
const erasOfThisRun = eras.filter((one) => isInThisRun(one === "2026-07-28"));

const names = [
  "dory_options",
  "dory_preview",
  "dory_create",
  "dory_change",
  "dory_check",
  "dory_plan",
  "dory_publish",
  "dory_status",
  "dory_rollback",
];

for (const era of erasOfThisRun)
  describe(`dory mcp, for a client of ${era},`, () => {
    const folder = temporaryFolder();
    let assistant: Assistant;
    before(async () => {
      assistant = await Assistant.start(era, folder);
    });
    after(() => assistant.end());

    test("lists its tools in the same order each time, with schemas and annotations", async () => {
      const { tools } = await assistant.client.listTools();
      assert.deepEqual(
        tools.map(({ name }) => name),
        names,
      );
      for (const { name, description = "", inputSchema, outputSchema, annotations } of tools) {
        assert.ok(description.length > 40 && description.length < 600, name);
        assert.deepEqual([inputSchema.type, outputSchema?.type], ["object", "object"]);
        const readers = ["dory_options", "dory_preview", "dory_plan", "dory_status"];
        assert.equal(annotations?.readOnlyHint, readers.includes(name));
        // dory_change can remove what is there.
        const removers = ["dory_change", "dory_publish", "dory_rollback"];
        assert.equal(annotations?.destructiveHint, removers.includes(name));
        assert.equal(typeof annotations?.idempotentHint, "boolean");
        assert.ok(
          !/password|token|value/i.test(
            Object.keys(inputSchema.properties ?? {})
              .join()
              .replace("values", ""),
          ),
        );
      }
      assert.deepEqual(await assistant.client.listTools(), { ...(await assistant.client.listTools()), tools });
    });

    test("says what can be asked for", async () => {
      const { frameworks, types, version } = await assistant.do("dory_options");
      assert.equal(frameworks.length, 8);
      assert.ok(types.length > 10 && version);
      assert.deepEqual(Object.keys(await assistant.do("dory_options", { parts: ["features"] })), [
        "version",
        "features",
        "defaults",
        "texts",
      ]);
    });

    test("shows a project as names first, and a file's text when it is asked for", async () => {
      const request = { name: "my-api", framework: "koa", fields: ["price:number?"] };
      const { files, command, text } = await assistant.do("dory_preview", request);
      assert.ok(files.includes("src/app.ts"));
      assert.deepEqual([command, text], ["npx dory new my-api --framework koa --field 'price:number?'", undefined]);
      const one = await assistant.do("dory_preview", { ...request, file: "src/items/item.ts" });
      assert.match(one.text, /price: optional\(number\(\)\)/);
      assert.equal(one.files, undefined);
      assert.deepEqual(readdirSync(folder), []);
    });

    test("makes a project that dory new would make, and changes it", async () => {
      const made = await assistant.do("dory_create", { name: "my-api", framework: "hono", features: ["auth"] });
      assert.equal(made.folder, join(folder, "my-api"));
      assert.match(made.next[0], /npm install$/);
      assert.ok(!JSON.stringify(made).includes(/API_TOKENS=(.*)/.exec(read("my-api/.env"))?.[1] ?? "none"));
      const plan = { folder: "my-api", action: "add", part: "field", values: ["price:number?"] };
      const preview = await assistant.do("dory_change", { ...plan, preview: true });
      assert.match(preview.text, /src\/items\/item\.ts.*merges with your changes/s);
      assert.ok(!read("my-api/src/items/item.ts").includes("price"));
      const { isChanged, text } = await assistant.do("dory_change", plan);
      assert.ok(isChanged, text);
      assert.match(read("my-api/src/items/item.ts"), /price: optional\(number\(\)\)/);
      assert.match(await assistant.refuse("dory_change", plan), /has the field "price" already\. \(already_there\)/);
      const framework = { folder: "my-api", action: "change", framework: "koa" };
      assert.match((await assistant.do("dory_change", framework)).text, /merged into main.*package\.json changed/s);
      const removal = { folder: "my-api", action: "remove", part: "feature", values: ["auth"] };
      assert.equal((await assistant.do("dory_change", removal)).title, "Remove auth");
    });

    test("makes two changes one after the other that are asked for at the same time", async () => {
      await assistant.do("dory_create", { name: "busy", framework: "hono" });
      const add = (field: string) =>
        assistant.do("dory_change", { folder: "busy", action: "add", part: "field", values: [field] });
      await Promise.all([add("a:integer?"), add("b:integer?")]);
      assert.match(read("busy/src/items/item.ts"), /a: .*\n.*b: /);
    });

    const wrong: [name: string, input: object, says: RegExp][] = [
      ["dory_preview", { framework: "hono" }, /name/],
      ["dory_preview", { name: "my-api" }, /There is no framework "".*Choose from/],
      ["dory_preview", { name: "my-api", framework: "hno" }, /Did you mean hono\?.*unknown_framework/],
      ["dory_preview", { name: "My Api", framework: "hono" }, /cannot name a project/],
      ["dory_preview", { name: "a", framework: "hono", fields: ["price:money"] }, /There is no field type "money"/],
      ["dory_preview", { name: "a", framework: "hono", colour: "red" }, /Unrecognized key: "colour"/],
      ["dory_preview", { name: "a", framework: "hono", file: "src/ap.ts" }, /Did you mean src\/app\.ts\?/],
      ["dory_options", { parts: ["planets"] }, /frameworks/],
      ["dory_create", { name: "a", framework: 5 }, /framework/],
      [
        "dory_change",
        { folder: "nowhere", action: "add", part: "field", values: ["a:string"] },
        /There is no dory\.json in/,
      ],
      ["dory_change", { action: "add", values: ["auth"] }, /name the part: feature, field/],
      ["dory_change", { action: "change" }, /give framework, database, node or fields\. \(usage\)$/],
      ["dory_change", { action: "change", part: "field", framework: "koa" }, /part is for add and remove/],
      ["dory_change", { action: "update", framework: "koa" }, /framework is for change/],
      ["dory_change", { action: "add", part: "feature", values: ["auth"], node: "pinned" }, /node is for change/],
      ["dory_plan", { folder: "my-api", action: "rollback", port: 80 }, /port is not for a rollback/],
      ["dory_plan", { folder: "my-api", action: "rollback", smoke: false }, /smoke is not for a rollback/],
      ["dory_plan", { folder: "my-api", release: "r1" }, /release is not for a publish/],
      ["dory_plan", { folder: "nowhere" }, /There is no dory\.json in .*\. Name the folder of a project\. \(/],
      ["dory_check", { url: "localhost:3000" }, /http: or https: URL/],
      ["dory_check", { url: "http://127.0.0.1:9" }, /Nothing answers at .*Start the backend.*unreachable/],
      ["dory_plan", { folder: "nowhere" }, /There is no dory\.json in/],
      ["dory_plan", { folder: "my-api", target: "moon" }, /Choose from: cloud-run, docker/],
      ["dory_plan", { folder: "my-api", port: 99_999 }, /--port must be a whole number from 1 to 65535/],
      ["dory_publish", { id: "plan-guessed" }, /There is no plan "plan-guessed".*Make a new plan.*plan_unknown/],
      ["dory_rollback", { id: "plan-guessed" }, /There is no plan/],
      ["dory_publish", {}, /id/],
      ["dory_status", { folder: "nowhere" }, /There is no dory\.json in/],
    ];
    for (const [name, input, says] of wrong)
      test(`${name} ${JSON.stringify(input)} is a result that says what to do`, async () => {
        assert.match(await assistant.refuse(name, input), says);
      });

    test("reads and writes only below the folder that it was started in", async () => {
      const outside = temporaryFolder();
      symlinkSync(outside, join(folder, `link-${era}`));
      symlinkSync(join(outside, "later"), join(folder, `dangling-${era}`));
      mkdirSync(join(folder, `project-${era}`));
      symlinkSync(join(outside, "dory.json"), join(folder, `project-${era}/dory.json`));
      const paths = [
        "..",
        "../evil",
        join(outside, "evil"),
        `link-${era}`,
        `link-${era}/deep/evil`,
        `dangling-${era}`,
        `project-${era}`,
        "a/../../evil",
      ];
      for (const path of paths) {
        const create = { name: "evil", framework: "hono", folder: path };
        assert.match(await assistant.refuse("dory_create", create), /\(outside\)$/, path);
        for (const name of ["dory_plan", "dory_status"])
          assert.match(await assistant.refuse(name, { folder: path }), /\(outside\)$/, path);
        const change = { folder: path, action: "update" };
        assert.match(await assistant.refuse("dory_change", change), /\(outside\)$/, path);
        const check = { url: "http://127.0.0.1:9", folder: path };
        assert.match(await assistant.refuse("dory_check", check), /\(outside\)$/, path);
      }
      assert.deepEqual(readdirSync(outside), []);
    });

    const read = (path: string) => readFileSync(join(folder, path), "utf8");
  });

/** Runs with an npm that takes long. */
async function startSlowly(era: (typeof eras)[number], folder: string): Promise<Assistant> {
  const path = process.env["PATH"];
  process.env["PATH"] = pathWith({ npm: "echo $$ > npm.pid; exec sleep 60" });
  try {
    return await Assistant.start(era, folder);
  } finally {
    process.env["PATH"] = path;
  }
}

/** Waits until npm was started, and returns its process id. */
async function npmStarted(folder: string): Promise<number> {
  const file = join(folder, "slow/npm.pid");
  while (!existsSync(file) || readFileSync(file, "utf8") === "") await sleep(20);
  return Number(readFileSync(file, "utf8"));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function untilEnded(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(20);
}

const slow = { name: "slow", framework: "hono", install: true };

for (const era of erasOfThisRun) {
  test(`a call that is cancelled is undone, and reports its progress until then (${era})`, async () => {
    const folder = temporaryFolder();
    const assistant = await startSlowly(era, folder);
    const controller = new AbortController();
    const progress: string[] = [];
    const call = assistant.call("dory_create", slow, {
      signal: controller.signal,
      onProgress: (message) => progress.push(message),
    });
    const npm = await npmStarted(folder);
    controller.abort();
    await assert.rejects(call);
    await untilEnded(npm);
    while (existsSync(join(folder, "slow"))) await sleep(20);
    assert.match(progress[0] ?? "", /^Made .*slow: \d+ files$/);
    assert.equal((await assistant.do("dory_options")).frameworks.length, 8, "it goes on");
    await assistant.end();
  });

  test(`if the client goes away, what was begun is undone, and the server ends (${era})`, async () => {
    const folder = temporaryFolder();
    const assistant = await startSlowly(era, folder);
    const server = assistant.transport.pid ?? 0;
    const call = assistant.call("dory_create", slow).catch(() => {});
    const npm = await npmStarted(folder);
    await assistant.client.close();
    await call;
    await untilEnded(npm);
    await untilEnded(server);
    assert.deepEqual(readdirSync(folder), []);
  });
}

test("nothing but the protocol is on stdout, whatever is sent, and it ends when stdin ends", {
  skip: earlier,
}, async () => {
  const child = spawn(process.execPath, [bin, "mcp"], { cwd: temporaryFolder() });
  let stdout = "";
  child.stdout.on("data", (text) => (stdout += text));
  const send = (message: unknown) =>
    child.stdin.write(`${typeof message === "string" ? message : JSON.stringify(message)}\n`);
  const request = (id: number, method: string, params: object) => send({ jsonrpc: "2.0", id, method, params });
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } };
  request(1, "initialize", client);
  send({ jsonrpc: "2.0", method: "notifications/initialized" });
  send("this is not JSON");
  request(2, "tools/call", { name: "dory_create", arguments: { name: "my-api", framework: "hono" } });
  request(3, "tools/call", { name: "dory_unknown", arguments: {} });
  request(4, "tools/call", { name: "dory_status", arguments: { folder: "nowhere" } });
  const answered = () => stdout.split("\n").filter(Boolean).length;
  while (answered() < 4) await sleep(20);
  child.stdin.end();
  const [code] = await once(child, "close");
  assert.equal(code, 0);
  const ids = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .map(({ jsonrpc, id }) => [jsonrpc, id]);
  assert.deepEqual(
    ids.sort(([, a], [, b]) => a - b),
    [1, 2, 3, 4].map((id) => ["2.0", id]),
  );
});

test("--read-only leaves out what writes", { skip: earlier }, async () => {
  const assistant = await Assistant.start("2026-07-28", temporaryFolder(), ["--read-only"]);
  const { tools } = await assistant.client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    ["dory_options", "dory_preview", "dory_plan", "dory_status"],
  );
  assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint));
  await assert.rejects(assistant.call("dory_create", { name: "my-api", framework: "hono" }));
  await assistant.end();
});

test("dory_check sends tokens to this machine, and to no other", { skip: earlier }, async () => {
  const folder = temporaryFolder();
  const ofPerson = "token-of-the-person-who-started-it-fake";
  const start = async (flags: string[] = []) => {
    process.env["API_TOKENS"] = ofPerson;
    try {
      return await Assistant.start("2025-11-25", folder, flags);
    } finally {
      delete process.env["API_TOKENS"];
    }
  };
  const assistant = await start();
  await assistant.do("dory_create", { name: "my-api", framework: "hono", features: ["auth"] });
  const sent: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    sent.push(request.headers.authorization);
    response.writeHead(401).end();
  });
  await once(server.listen(0), "listening");
  const { port } = server.address() as AddressInfo;
  const check = (host: string) => assistant.refuse("dory_check", { url: `http://${host}:${port}`, folder: "my-api" });
  assert.match(await check("0.0.0.0"), /requires a token.*token_missing/);
  assert.deepEqual(sent.splice(0), [undefined]);
  assert.match(await check("127.0.0.1"), /token_refused/);
  const [, token = "none"] =
    /API_TOKENS=(?:\w+:)?([^,\n]+)/.exec(readFileSync(join(folder, "my-api/.env"), "utf8")) ?? [];
  assert.deepEqual(sent.splice(0), [undefined, `Bearer ${token}`]);
  const url = `http://127.0.0.1:${port}`;
  assert.match(await assistant.refuse("dory_check", { url }), /requires a token.*token_missing/);
  assert.deepEqual(sent.splice(0), [undefined]);
  const allowed = await start(["--env", "API_TOKENS"]);
  assert.match(await allowed.refuse("dory_check", { url }), /token_refused/);
  assert.deepEqual(sent, [undefined, `Bearer ${ofPerson}`]);
  await allowed.end();
  server.close();
  await assistant.end();
});

test("a service's folder leads to its application only if that is below, too", { skip: earlier }, async () => {
  const folder = temporaryFolder();
  const services = [{ name: "api", framework: "hono" }];
  const outer = await Assistant.start("2025-11-25", folder);
  await outer.do("dory_create", { name: "shop", services });
  const change = { action: "add", part: "feature", values: ["cors"] };
  assert.equal((await outer.do("dory_change", { ...change, folder: "shop/api" })).title, "Add cors in api");
  await outer.end();
  const inner = await Assistant.start("2025-11-25", join(folder, "shop/api"));
  assert.match(await inner.refuse("dory_change", { ...change, values: ["auth"] }), /\(outside\)$/);
  await inner.end();
});

test("a .env that is a link out of the folder is not read", { skip: earlier }, async () => {
  const folder = temporaryFolder();
  const outside = join(temporaryFolder(), "variables");
  writeFileSync(outside, "API_TOKENS=somebody-elses-token-which-is-long-enough\n");
  const assistant = await Assistant.start("2025-11-25", folder);
  await assistant.do("dory_create", { name: "my-api", framework: "hono", features: ["auth"] });
  await run(folder, "rm", "my-api/.env");
  symlinkSync(outside, join(folder, "my-api/.env"));
  mkdirSync(join(folder, "empty"));
  assert.match(await assistant.refuse("dory_check", { url: "http://127.0.0.1:9", folder: "my-api" }), /\(outside\)$/);
  assert.match(await assistant.refuse("dory_plan", { folder: "my-api" }), /\(outside\)$/);
  await assistant.end();
});
