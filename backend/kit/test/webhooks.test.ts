import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Claimed, Inbox } from "../../src/core/features/webhooks/inbox/inbox.ts";
import type { WebhookEvent, WebhookSource } from "../../src/core/features/webhooks/source.ts";
import type { Handlers } from "../../src/core/features/webhooks/sources.ts";
import { load } from "../project.ts";
import { senders } from "../suite/webhooks/senders.ts";
import { everyDatabase } from "./databases.ts";
import { eventually } from "./eventually.ts";
import { loadStores } from "./store.ts";

const { expectRecent, expectSigned } = await load<typeof import("../../src/core/features/webhooks/signature.ts")>(
  "src/core/features/webhooks/signature.ts",
);
const { sourceNames, sources } = await load<typeof import("../../src/core/features/webhooks/sources.ts")>(
  "src/core/features/webhooks/sources.ts",
);
const { maxAttempts, Worker } = await load<typeof import("../../src/core/features/webhooks/worker.ts")>(
  "src/core/features/webhooks/worker.ts",
);
const { logging } = await load<typeof import("../../src/core/log.ts")>("src/core/log.ts");
const { createStore } = await loadStores();
const { features } = await load<typeof import("../../src/features.ts")>("src/features.ts");

logging.level = "silent";

for (const name of sourceNames)
  describe(`webhooks of ${name}`, () => {
    const sender = senders[name] ?? assert.fail();
    const source: WebhookSource<object> = sources[name];

    test("accept the published signatures", () => {
      for (const { secret, seconds, message, headers } of sender.published) {
        const key = source.secret.read(secret) ?? assert.fail("the secret is refused");
        const claim = source.readClaim(lowerCased(headers));
        expectRecent(claim, seconds * 1000);
        expectSigned(Buffer.from(message.body), claim, [key]);
        assert.throws(() => expectSigned(Buffer.from(`${message.body} `), claim, [key]), { code: "invalid_signature" });
        assert.deepEqual(sender.sign(message, secret, seconds), headers);
      }
    });

    test("accept secrets as the source shows them, and no others", () => {
      for (const secret of sender.fakes) assert.ok(source.secret.read(secret), secret);
      for (const secret of ["", "short", " ".repeat(40), `${sender.fakes[0]} `, `${sender.fakes[0]}\n`, "ü".repeat(40)])
        assert.equal(source.secret.read(secret), undefined, JSON.stringify(secret));
    });

    if (sender.isTimed)
      test("are accepted within 300 seconds of their time", () => {
        const seconds = 1_700_000_000;
        const message = sender.sample();
        const claim = source.readClaim(lowerCased(sender.sign(message, sender.fakes[0], seconds)));
        for (const off of [-300, 0, 300]) expectRecent(claim, (seconds + off) * 1000);
        for (const off of [-301, 301])
          assert.throws(() => expectRecent(claim, (seconds + off) * 1000), { code: "invalid_signature" });
      });
  });

for (const [kind, newDatabase] of await everyDatabase())
  describe(`the inbox of webhooks on ${kind}`, { concurrency: true }, () => {
    test("stores a delivery once, however often it is sent", async () => {
      await using inbox = await openInbox();
      const accepted = await Promise.all(Array.from({ length: 5 }, () => inbox.accept(event("same"))));
      assert.deepEqual(accepted.sort(), [false, false, false, false, true]);
      const seen = await handleAll(inbox, () => {});
      assert.deepEqual(seen, ["same"]);
      assert.equal(await inbox.accept(event("same")), false);
    });

    test("passes a handler the event as it was sent", async () => {
      await using inbox = await openInbox();
      await inbox.accept(event("whole"));
      const { promise, resolve } = Promise.withResolvers<WebhookEvent>();
      using _ = working(inbox, resolve);
      const { id, type, payload, body, receivedAt, attempt } = await promise;
      assert.deepEqual([id, type, payload, attempt], ["whole", "test", { text: "Zoë" }, 1]);
      assert.equal(body.toString(), '{"text": "Zoë"}');
      assert.ok(Math.abs(Date.now() - receivedAt.valueOf()) < 60_000);
    });

    test("retries a handler that throws, and parks the event after the last attempt", async () => {
      await using inbox = await openInbox();
      await inbox.accept(event("bad"));
      const attempts: number[] = [];
      using _ = working(inbox, ({ attempt }) => {
        attempts.push(attempt);
        throw new Error("no luck");
      });
      await eventually(async () => (await inbox.listParked(10)).length === 1, "the event to be parked");
      assert.deepEqual(
        attempts,
        Array.from({ length: maxAttempts }, (_, index) => index + 1),
      );
      const [parked] = await inbox.listParked(10);
      assert.deepEqual([parked?.id, parked?.attempts, parked?.error], ["bad", maxAttempts, "Error: no luck"]);
      assert.equal((await inbox.findParked(parked?.number ?? 0))?.body.toString(), '{"text": "Zoë"}');
      assert.equal(await inbox.accept(event("bad")), false);
    });

    test("handles a parked event that is retried, and none that is dropped", async () => {
      await using inbox = await openInbox();
      const numbers = [];
      for (const id of ["one", "two", "three"]) {
        await inbox.accept(event(id));
        numbers.push(await park(inbox));
      }
      const [one = 0, two = 0] = numbers;
      assert.deepEqual([await inbox.drop(one), await inbox.drop(one), await inbox.retry(one)], [1, 0, 0]);
      assert.deepEqual([await inbox.retry(two), await inbox.retry(two), await inbox.retry()], [1, 0, 1]);
      assert.deepEqual(await inbox.listParked(10), []);
      assert.deepEqual((await handleAll(inbox, () => {})).sort(), ["three", "two"]);
      assert.equal(await inbox.accept(event("one")), false);
    });

    test("stores what a handler throws as text, whatever it is", async () => {
      await using inbox = await openInbox();
      const own = Object.assign(new Error(), { message: { toString: () => assert.fail("read") } });
      const unreadable = "the handler threw a value that cannot be converted to text";
      const thrown: [value: unknown, stored: string][] = [
        [undefined, "Error: the handler failed without an error"],
        [null, "Error: the handler failed without an error"],
        // biome-ignore lint/suspicious/noThenProperty: a rejection with a thenable must not be followed
        [{ then: () => {}, toString: () => "thenable" }, "thenable"],
        [Object.create(null), unreadable],
        [{ toString: () => assert.fail("read") }, unreadable],
        [own, unreadable],
        [new Error("a\0b\ud800"), "Error: a\ufffdb\ufffd"],
        [new Error("x".repeat(5_000_000)), `Error: ${"x".repeat(9993)}`],
        [Symbol("odd"), "Symbol(odd)"],
      ];
      for (const [index] of thrown.entries()) await inbox.accept(event(`${index}`));
      const seen = new Map<string, number>();
      using _ = working(inbox, ({ id, attempt }) => {
        seen.set(id, attempt);
        return Promise.reject(thrown[Number(id)]?.[0]);
      });
      await eventually(async () => (await inbox.listParked(20)).length === thrown.length, "all events to be parked");
      assert.deepEqual(new Set(seen.values()), new Set([maxAttempts]));
      const parked = new Map((await inbox.listParked(20)).map(({ id, error }) => [id, error]));
      assert.deepEqual(
        thrown.map((_, index) => parked.get(`${index}`)),
        thrown.map(([, stored]) => stored),
      );
    });

    test("treats a handler that times out as failed", async () => {
      await using inbox = await openInbox();
      await inbox.accept(event("slow"));
      const signals: AbortSignal[] = [];
      const hang = ({ signal, attempt }: WebhookEvent) => {
        signals.push(signal);
        return attempt === 1 ? new Promise(() => {}) : undefined;
      };
      using _ = working(inbox, hang, { handlerTimeoutMs: 500 });
      await eventually(() => signals.length >= 2, "a second attempt");
      assert.equal(signals[0]?.aborted, true);
    });

    test("passes the event of a killed process to another one, after the lease", async () => {
      await using inbox = await openInbox();
      await inbox.accept(event("leased"));
      assert.equal((await inbox.claim(10, 600_000)).length, 1);
      assert.deepEqual(await inbox.claim(10, 600_000), []);
      await inbox.accept(event("orphan"));
      const [taken] = await inbox.claim(10, 0);
      assert.equal(taken?.id, "orphan");
      assert.deepEqual(await handleAll(inbox, () => {}), ["orphan"]);
      // A process that lost the lease can no longer change the event.
      await inbox.park(taken as Claimed, "late");
      assert.deepEqual(await inbox.listParked(10), []);
    });

    test("parks an event that ends every process that handles it", async () => {
      await using inbox = await openInbox();
      await inbox.accept(event("poison"));
      for (let count = 0; count < maxAttempts; count++) {
        await eventually(async () => (await inbox.claim(1, 0)).length === 1, "the lease to end");
        await sleep(2);
      }
      using _ = working(inbox, () => assert.fail("it was handled again"));
      await eventually(async () => (await inbox.listParked(10)).length === 1, "the event to be parked");
    });

    test("lets several workers share the events, each handled by one of them", async () => {
      await using inbox = await openInbox();
      const busy = new Set<string>();
      const seen: string[] = [];
      const collisions: string[] = [];
      const handle = async ({ id }: WebhookEvent) => {
        if (busy.has(id)) collisions.push(id);
        busy.add(id);
        await sleep(1);
        busy.delete(id);
        seen.push(id);
      };
      const ids = Array.from({ length: 100 }, (_, index) => `event-${index}`);
      using _one = working(inbox, handle);
      using _two = working(inbox, handle);
      await Promise.all(ids.map((id) => inbox.accept(event(id))));
      await eventually(() => seen.length >= ids.length, "all events to be handled");
      await sleep(50);
      assert.deepEqual([collisions, seen.sort()], [[], ids.sort()]);
    });

    test("waits for running handlers when it stops, and starts no other", async () => {
      await using inbox = await openInbox();
      await Promise.all(Array.from({ length: 30 }, (_, index) => inbox.accept(event(`${index}`))));
      let [begun, ended] = [0, 0];
      const gate = Promise.withResolvers<void>();
      const worker = new Worker(inbox, config);
      worker.start(
        allWith(async () => {
          begun++;
          await gate.promise;
          ended++;
        }),
      );
      await eventually(() => begun > 0, "a handler to begin");
      const stopped = worker.stop();
      gate.resolve();
      await stopped;
      assert.equal(ended, begun);
      assert.ok(begun < 30, `${begun} had begun`);
      await sleep(150);
      assert.equal(begun, ended);
    });

    test("deletes events that were handled long ago, and no others", async () => {
      await using inbox = await openInbox();
      for (const id of ["handled", "parked", "waiting"]) await inbox.accept(event(id));
      const [handled, parked] = await inbox.claim(2, 60_000);
      await inbox.finish(handled as Claimed);
      await inbox.park(parked as Claimed, "");
      await sleep(5);
      assert.equal(await inbox.prune(1, 10), 0);
      assert.equal(await inbox.prune(0, 10), 1);
      assert.equal(await inbox.accept(event("handled")), true);
      assert.equal(await inbox.accept(event("parked")), false);
    });

    /** An inbox on a new database, which is closed with the test. */
    async function openInbox(): Promise<Inbox & AsyncDisposable> {
      // The migrations of a project are for its tables, which this database does not have.
      const settings = { databaseUrl: await newDatabase(), handlerTimeoutMs: 20_000, migrate: "off" };
      const store = createStore(settings, features);
      const { inbox } = store;
      await store.open();
      return Object.assign(inbox, { [Symbol.asyncDispose]: () => store.close() });
    }
  });

const config = {
  keys: Object.fromEntries(sourceNames.map((name) => [name, []])) as never,
  bodyLimitBytes: 1,
  handlerTimeoutMs: 20_000,
  retryMs: 0,
  keepDays: 30,
};

type Handle = (event: WebhookEvent) => unknown;

const allWith = (handle: Handle) => Object.fromEntries(sourceNames.map((name) => [name, handle])) as Handlers;

function working(inbox: Inbox, handle: Handle, more = {}): Disposable {
  const worker = new Worker(inbox, { ...config, ...more });
  worker.start(allWith(handle));
  return { [Symbol.dispose]: () => void worker.stop() };
}

/** The ids of all events that wait, each as often as it is handled. */
async function handleAll(inbox: Inbox, handle: Handle): Promise<string[]> {
  const ids: string[] = [];
  using _ = working(inbox, (event) => {
    ids.push(event.id);
    return handle(event);
  });
  await eventually(() => ids.length > 0, "an event to be handled");
  await sleep(300);
  return ids;
}

async function park(inbox: Inbox): Promise<number> {
  const [claimed] = await inbox.claim(1, 60_000);
  await inbox.park(claimed as Claimed, "no luck");
  return claimed?.number ?? 0;
}

const event = (id: string) => ({
  source: sourceNames[0] ?? assert.fail(),
  id,
  type: "test",
  body: Buffer.from('{"text": "Zoë"}'),
});

function lowerCased(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
