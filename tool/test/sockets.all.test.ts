import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { newSqliteFile } from "../../backend/kit/test/sqlite.ts";
import { frameworks } from "../../backend/test/support/matrix.ts";
import { writeInGroups } from "./groups.ts";
import { edit } from "./owner/project.ts";
import { build, project, start } from "./support.ts";

type Name = (typeof frameworks)[number];

/** Others refer to the documentation of a package. */
const withCode: Name[] = ["elysia", "express", "h3", "hono", "koa"];
const chosen = withCode.filter((name) => frameworks.includes(name));

describe("the WebSockets in the README are checked, and work", { concurrency: 2 }, () => {
  const folders = new Map<Name, string>();

  before(async () => {
    const made = chosen.map((title) => ({ title, files: project({ framework: title, database: "sqlite" }) }));
    for (const group of writeInGroups(made)) {
      for (const { title, folder } of group.projects) {
        edit(join(folder, "src/app.ts"), addSocket(readFileSync(join(folder, "README.md"), "utf8")));
        folders.set(title, folder);
      }
      await group.biome("--write", ".");
      await group.tsc();
    }
  });

  for (const framework of chosen)
    test(`in ${framework}`, async () => {
      const folder = folders.get(framework) ?? assert.fail();
      await build(folder);
      using backend = await start(folder, { DATABASE_URL: await newSqliteFile() });
      const url = backend.url.replace("http", "ws");
      const socket = new WebSocket(`${url}/chat`);
      await once(socket, "open");
      socket.send("hello");
      const [{ data }] = await once(socket, "message");
      assert.equal(data, "You said hello");
      const refused = new WebSocket(`${url}/items`);
      await once(refused, "error");
      assert.equal(await backend.stop(), 0);
    });
});

/** The edit of `src/app.ts` that the README asks for: a socket at `/chat`. */
function addSocket(readme: string): (app: string) => string {
  const [, text = ""] = /^For WebSockets: (.*?)\n\n`parts\.server` is/ms.exec(readme) ?? assert.fail();
  const [, block] = /```ts\n(.*)```/s.exec(text) ?? [];
  if (block) return (app) => withLines(app, block.split("\n"));
  const quoted = text.split("`").filter((_, index) => index % 2 === 1);
  const server = quoted.find((code) => code.startsWith("new WebSocketServer("));
  if (server) return (app) => withLines(app, onServer(server));
  const [, , adapter = "", ...lines] = quoted;
  return (app) => withLines(app, lines).replace("adapter: node()", adapter).replace(".get(", `${onApp}.get(`);
}

const onServer = (server: string) => [
  'import { WebSocketServer } from "ws";',
  `${server}.on("connection", (socket) => socket.on("message", (data) => socket.send(\`You said \${data}\`)));`,
];

const onApp = '.ws("/chat", { message: (socket, text) => void socket.send("You said ".concat(String(text))) })';

/** Adds imports at the top, and the rest before `return`. */
function withLines(app: string, added: string[]): string {
  const isImport = (line: string) => line.startsWith("import ");
  const others = added.filter((line) => !isImport(line));
  return `${added.filter(isImport).join("\n")}\n${app.replace(/^ {2}return /m, (start) => `${others.join("\n")}\n${start}`)}`;
}
