import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { eventually } from "../../../../backend/kit/test/eventually.ts";
import { newPostgresDatabases } from "../../../../backend/kit/test/postgres.ts";
import { deploy } from "../../../src/publish/deploy.ts";
import { helperImage } from "../../../src/publish/engine/names.ts";
import { findLive } from "../../../src/publish/release.ts";
import { rollback } from "../../../src/publish/rollback.ts";
import { whyNotServing } from "../../../src/publish/snapshot.ts";
import { swarmTarget } from "../../../src/publish/swarm/driver.ts";
import { serviceName } from "../../../src/publish/swarm/names.ts";
import type { Driver } from "../../../src/publish/target.ts";
import { type Figures, underBalancedLoad } from "../balanced-load.ts";
import { type Node, Nodes, noNodes } from "../nodes.ts";
import { noEngine, noRegistry, registry } from "../support.ts";
import { backendImage } from "./engine.ts";
import { attemptFor, quickly, quiet, shop } from "./world.ts";

const application = shop("nodes");
const { name } = application;
const port = 18_400;
const options = { ...quickly, healthMs: 60_000, watchMs: 2000, replicas: 3, port };

const skip = noEngine || noNodes() || (await noRegistry());
const newDatabase = skip ? async () => "" : await newPostgresDatabases();

describe("a swarm of three nodes", { skip }, () => {
  let nodes: Nodes;
  let [image, secret] = ["", ""];
  const own = process.env["DOCKER_HOST"];

  before(async () => {
    const built = await backendImage(name, registry);
    const database = new URL(await newDatabase());
    nodes = await Nodes.start(3);
    await nodes.load(helperImage);
    await nodes.forward(5000, Number(registry.split(":")[1]));
    await nodes.forward(5432, Number(database.port));
    image = built.replace(registry, `${nodes.gateway}:5000`);
    await first().docker("pull", "-q", image);
    secret = Object.assign(database, { host: `${nodes.gateway}:5432` }).href;
    process.env["DOCKER_HOST"] = first().host;
    await publish("warn");
  });

  after(async () => {
    if (own === undefined) delete process.env["DOCKER_HOST"];
    else process.env["DOCKER_HOST"] = own;
    await nodes?.remove();
  });

  const node = (number: number): Node => nodes.all[number - 1] ?? assert.fail();
  const first = () => node(1);
  const urls = () => nodes.all.map(({ address }) => `http://${address}:${port}`);
  const open = (): Promise<Driver> => swarmTarget.open(application);
  const publish = async (level: string) =>
    deploy(await open(), attemptFor(application, options, { image, secret, env: { LOG_LEVEL: level } }));

  /** The nodes that tasks run on, sorted. */
  const places = async () => {
    const format = ["--filter", "desired-state=running", "--format", "{{.Node}} {{.CurrentState}}"];
    const tasks = await first().docker("service", "ps", serviceName(name, name), ...format);
    return [...tasks.matchAll(/^(\S+) Running/gm)].map(([, node]) => node).sort();
  };

  /** Waits until all replicas run, each on one of these nodes. */
  const runsOn = async (...wanted: string[]) => {
    const driver = await open();
    const live = findLive(await driver.history()) ?? assert.fail();
    await eventually(
      async () => {
        const found = await places();
        return (
          found.length === 3 &&
          found.every((one) => wanted.includes(one ?? "")) &&
          whyNotServing(await driver.observe(live)) === undefined
        );
      },
      `tasks on ${wanted.join(", ")}`,
      120_000,
    );
  };

  /** The names of tasks are known on a node that comes back only after up to 90 s. */
  const eachAnswers = async () => {
    for (const url of urls()) {
      const answers = async () => (await fetchSoon(`${url}/health`)).ok;
      await eventually(() => answers().catch(() => false), `${url} to answer`, 240_000);
    }
  };

  const loaded = async (what: string, work: () => Promise<unknown>): Promise<Figures> => {
    const figures = await underBalancedLoad(urls(), async () => void (await work()));
    const { items, answered, failed, moved, longestMs } = figures;
    console.error(
      `${what}: ${answered} answered, ${JSON.stringify(failed)} failed, ${moved} moved to another node, longest ${longestMs} ms`,
    );
    const stored = await listItems(urls()[0] ?? "");
    assert.deepEqual(
      items.filter((id) => !stored.has(id)),
      [],
      "acknowledged and lost",
    );
    return figures;
  };

  const failsNone = ({ failed }: Figures) => assert.deepEqual(failed, {});

  test("spreads the replicas over the nodes, and every node answers", async () => {
    assert.deepEqual(await places(), ["node1", "node2", "node3"]);
    await eachAnswers();
  });

  test("releases and rolls back without a failed request", async () => {
    failsNone(await loaded("a release", () => publish("error")));
    const work = { driver: await open(), application, options, progress: quiet() };
    failsNone(await loaded("a rollback", () => rollback(work, undefined, false)));
    assert.deepEqual(await places(), ["node1", "node2", "node3"]);
  });

  test("loses no item when a node is drained", async () => {
    const set = (availability: string) => first().docker("node", "update", "--availability", availability, "node3");
    await loaded("a node drained", async () => {
      await set("drain");
      await runsOn("node1", "node2");
    });
    await loaded("a node active again", () => set("active"));
  });

  test("loses no item when a node is killed and comes back", async () => {
    await loaded("a node killed", async () => {
      await node(2).kill();
      await runsOn("node1", "node3");
    });
    await loaded("a node that comes back", async () => {
      await node(2).comeBack();
      await runsOn("node1", "node2", "node3");
    });
    await eachAnswers();
  });

  test("loses no item when the manager that published is restarted, and releases afterwards", async () => {
    await loaded("the manager restarted", async () => {
      await first().restart();
      await runsOn("node1", "node2", "node3");
    });
    const form = "{{.Swarm.LocalNodeState}} {{.Swarm.ControlAvailable}}";
    const isManager = async () =>
      (
        await first()
          .docker("info", "--format", form)
          .catch(() => "")
      ).trim() === "active true";
    await eventually(isManager, "the manager to be one again");
    await eachAnswers();
    failsNone(await loaded("a release after all of this", () => publish("error")));
    assert.deepEqual(await places(), ["node1", "node2", "node3"]);
  });
});

/** The ids of all items. */
async function listItems(url: string): Promise<Set<string>> {
  const found = new Set<string>();
  for (let cursor: string | null = ""; cursor !== null; ) {
    const after = cursor === "" ? "" : `&cursor=${cursor}`;
    const page = await readPage(`${url}/items?limit=100${after}`);
    for (const { id } of page.items) found.add(id);
    cursor = page.nextCursor;
  }
  return found;
}

interface Page {
  items: { id: string }[];
  nextCursor: string | null;
}

/** A connection from before a node was lost, or to one that has no route yet, would wait much longer. */
const fetchSoon = (url: string) => fetch(url, { signal: AbortSignal.timeout(5000) });

/** The network of a node that was restarted may still come and go. */
async function readPage(url: string): Promise<Page> {
  let page: Page | undefined;
  const read = async () => {
    const answer = await fetchSoon(url);
    if (answer.ok) page = (await answer.json()) as Page;
    return page !== undefined;
  };
  await eventually(() => read().catch(() => false), "a page of items");
  return page ?? assert.fail();
}
