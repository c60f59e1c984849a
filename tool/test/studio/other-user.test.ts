import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { findUsers } from "../../src/studio/peer.ts";
import { dory } from "../dory.ts";
import { temporaryFolder } from "../support.ts";

/** The number of "nobody" on every Linux. */
const nobody = 65_534;
const reason =
  process.platform === "linux" && process.getuid?.() === 0 ? false : "only root on Linux can act as another user";

/** Reads what every user may read, and tries each address of a studio that is found there. Runs as another user. */
const intruder = `
  import { readdirSync, readFileSync, statSync } from "node:fs";
  import { join } from "node:path";
  const port = process.argv[1];
  const attempt = (read) => { try { return read(); } catch { return []; } };
  const below = (folder, depth) => attempt(() => readdirSync(folder)).slice(0, 2000).flatMap((name) => {
    const path = join(folder, name);
    const found = attempt(() => statSync(path));
    if (found.isDirectory?.()) return depth > 0 && /^dory/.test(name) ? below(path, depth - 1) : [];
    return found.size < 1e5 && /dory/.test(path) ? [path] : [];
  });
  const commands = readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).flatMap((pid) =>
    ["cmdline", "environ"].map((file) => join("/proc", pid, file)));
  const texts = [...commands, ...below("/tmp", 2)].map((path) => String(attempt(() => readFileSync(path, "utf8"))));
  const pattern = new RegExp("http://127.0.0.1:" + port + "/\\\\?token=[\\\\w-]{43}", "g");
  const addresses = [...new Set(texts.flatMap((text) => text.match(pattern) ?? []))];
  const tries = ["", "api/state", "api/events"].map((path) => "http://127.0.0.1:" + port + "/" + path);
  const answers = await Promise.all([...addresses, ...tries].map(async (address) => {
    const answer = await fetch(address, { redirect: "manual", headers: { Accept: "text/html" } });
    return { status: answer.status, cookie: answer.headers.get("set-cookie"), text: await answer.text() };
  }));
  console.log(JSON.stringify({ user: process.getuid(), addresses, answers }));
`;

describe("another user of this machine", { skip: reason }, () => {
  const folder = temporaryFolder();
  let studio: ReturnType<typeof dory>;
  let printed = "";
  before(async () => {
    chmodSync(folder, 0o700);
    // As on a desktop: the program that opens the browser runs for a while, with the address among its arguments.
    process.env["DISPLAY"] = ":99";
    studio = dory(folder, ["studio"], { programs: { "xdg-open": "sleep 60; exit 0" } });
    studio.child.stdout.on("data", (chunk) => (printed += chunk));
    while (!/token=\S+\n/.test(printed)) await new Promise((resolve) => setTimeout(resolve, 50));
  });
  after(async () => {
    studio.child.kill("SIGTERM");
    await studio.outcome;
  });

  test("finds the address among the arguments of a program, but cannot open the studio with it", async () => {
    const [address = ""] = /http:\S+/.exec(printed) ?? [];
    const args = ["--input-type=module", "-e", intruder, new URL(address).port];
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      uid: nobody,
      gid: nobody,
      cwd: "/",
      env: {},
      maxBuffer: 1e7,
    });
    const { user, addresses, answers } = JSON.parse(stdout);
    assert.deepEqual([user, addresses], [nobody, [address]]);
    assert.deepEqual(
      answers.map(({ status, cookie }: { status: number; cookie: string | null }) => [status, cookie]),
      [
        [403, null],
        [401, null],
        [401, null],
        [401, null],
      ],
    );
    assert.ok(!JSON.stringify(answers).includes(folder));
    const own = await fetch(address, { redirect: "manual" });
    assert.deepEqual([own.status, own.headers.has("set-cookie")], [303, true], "the token is not used up by others");
  });
});

test("the users at the other end of a connection are found by both ports, in either table", () => {
  const head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode";
  const line = (own: string, other: string, user: number) =>
    `   1: ${own} ${other} 01 00000000:00000000 00:00000000 00000000 ${user}        0 1 1 0000000000000000 20 4 30 10 -1`;
  const table = [
    head,
    line("0100007F:11F8", "0100007F:D431", 0),
    line("0100007F:D431", "0100007F:11F8", 1000),
    line("0100007F:D431", "0100007F:11F9", 1001),
    line("0000000000000000FFFF00000100007F:D431", "0000000000000000FFFF00000100007F:11F8", 1002),
  ].join("\n");
  assert.deepEqual(findUsers(table, { localPort: 0x11f8, remotePort: 0xd431 }), [1000, 1002]);
  assert.deepEqual(findUsers(table, { localPort: 1, remotePort: 2 }), []);
});
