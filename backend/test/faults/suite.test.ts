import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after, before, describe, test } from "node:test";
import openApi from "../../openapi.json" with { type: "json" };
import { creatingChecks } from "../conformance/creating.ts";
import { itemIn } from "../conformance/items.ts";
import { create, listingChecks } from "../conformance/listing.ts";
import { defaults } from "../conformance/suite.ts";
import { Backend } from "../support/backend.ts";
import type { Item } from "../support/client.ts";
import { Load } from "../support/load.ts";
import { newSqliteFile } from "../support/sqlite.ts";

const item = itemIn(openApi);
const checks = [...listingChecks, ...creatingChecks];

describe("the suite, while other clients create items all the time,", { timeout: 120_000 }, () => {
  let backend: Backend;
  let others: Load;
  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile() });
    others = new Load(backend.url, { clients: 2 });
    await others.hasCreated(50);
  });
  after(async () => {
    await others.end();
    await backend.stop();
  });

  for (const { name, run } of checks)
    test(`finds no fault: ${name}`, () => run({ ...defaults, item, url: backend.url }));
});

describe("the suite", { timeout: 120_000 }, () => {
  let backend: Backend;
  before(async () => {
    backend = await Backend.start({ DATABASE_URL: await newSqliteFile() });
    await create({ ...defaults, item, url: backend.url }, 150);
  });
  after(() => backend.stop());

  for (const [fault, { tamper, names }] of Object.entries(faults()))
    test(`finds the fault of a backend that ${fault}`, async () => {
      using wrong = await tampering(backend.url, tamper);
      for (const name of names) {
        const check = checks.find((one) => one.name.startsWith(name));
        await assert.rejects(async () => check?.run({ ...defaults, item, url: wrong.url }), name);
      }
    });
});

/** What is wrong with a list, and the checks that must find it. */
function faults(): Record<string, { tamper(items: Item[], query: string): Item[]; names: string[] }> {
  const all = ["items are listed", "walking the cursors", "POST /items answers"];
  let oldest: Item[] = [];
  const started = new Date().toISOString();
  return {
    "lists each page the other way round": {
      tamper: (items) => items.toReversed(),
      names: ["items are listed", "walking the cursors"],
    },
    "lists some item of old before all others": {
      tamper: (items, query) => {
        if (oldest.length === 0) oldest = items.slice(-1);
        return query.includes("cursor") ? items : [...oldest, ...items];
      },
      names: ["items are listed"],
    },
    "lists nothing new": {
      tamper: (items) => items.filter(({ createdAt }) => createdAt < started),
      names: all,
    },
    "leaves out one item in five": {
      tamper: (items) => items.filter(({ id }) => Number.parseInt(id.slice(-4), 16) % 5 > 0),
      names: ["items are listed", "walking the cursors"],
    },
    "lists the last item of a page twice": {
      tamper: (items) => [...items, ...items.slice(-1)],
      names: ["walking the cursors", "the last page has"],
    },
    "loses what is in an item": {
      tamper: (items) => items.map((one) => ({ ...one, name: one.name.slice(1) })),
      names: all,
    },
  };
}

/** A backend whose lists are changed on their way. */
async function tampering(backendUrl: string, tamper: (items: Item[], query: string) => Item[]) {
  const server: Server = createServer(async (req, res) => {
    const { method, headers, url = "" } = req;
    const inner = request(backendUrl + url, { method, headers, agent: false });
    req.pipe(inner);
    const [answer] = (await once(inner, "response")) as [IncomingMessage];
    const body = await text(answer);
    const page = method === "GET" && answer.statusCode === 200 ? JSON.parse(body) : undefined;
    const sent = page ? JSON.stringify({ ...page, items: tamper(page.items, url) }) : body;
    const { "content-length": _, "transfer-encoding": __, ...rest } = answer.headers;
    res.writeHead(answer.statusCode ?? 500, { ...rest, "Content-Length": Buffer.byteLength(sent) }).end(sent);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
