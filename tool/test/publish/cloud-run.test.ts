import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, beforeEach, describe, test } from "node:test";
import { deploy } from "../../src/publish/cloud-run/gcloud.ts";
import { cloudRunTarget } from "../../src/publish/cloud-run/target.ts";
import { emptyProject, type FakeProject } from "./gcloud.ts";
import { attempt, digest, failure, options, quiet, record, shop } from "./recording.ts";

const secret = "postgres://shop:s3cret-planted-here@db/shop";
const [first, second] = [digest("a"), digest("b")];
const place = { project: "my-project", region: "europe-west1" };

test("a revision is put beside the one that serves, by digest and without traffic", () => {
  const deployment = { service: "shop", image: "IMAGE", port: 3000, suffix: "r2", tag: "c-r2", variablesFile: "FILE" };
  const secrets = { DATABASE_URL: "shop-DATABASE_URL:3" };
  const at = "--project my-project --region europe-west1 --quiet";
  const start = "run deploy shop --image IMAGE --port 3000 --revision-suffix r2 --tag c-r2 --env-vars-file FILE";
  assert.equal(
    deploy(place, { ...deployment, secrets, isFirst: false }).join(" "),
    `${start} --set-secrets DATABASE_URL=shop-DATABASE_URL:3 --no-traffic ${at}`,
  );
  assert.equal(
    deploy(place, { ...deployment, secrets: {}, scale: { min: 1, max: 4 }, isFirst: true }).join(" "),
    `${start} --clear-secrets --min-instances 1 --max-instances 4 --allow-unauthenticated ${at}`,
  );
});

describe("releasing to Cloud Run", async () => {
  const [served, tried] = [await answering(), await answering()];
  const start = (rest: Partial<FakeProject> = {}) =>
    record("gcloud", "gcloud.ts", emptyProject({ url: served.url, tagUrl: tried.url, ...rest }));
  beforeEach(() => {
    served.status = 200;
    tried.status = 200;
  });
  after(() => {
    served.close();
    tried.close();
  });

  test("tries the revision at its own address, then moves the traffic", async () => {
    const gcloud = start();
    await cloudRunTarget.release(attempt(shop(), first, secret));
    const { release, url } = await cloudRunTarget.release(attempt(shop(), second, `${secret}-new`));
    assert.deepEqual([release.id, url], ["r2", served.url]);
    const { traffic, secrets } = gcloud.state();
    assert.deepEqual(traffic, [{ revisionName: "shop-r2", percent: 100 }]);
    assert.deepEqual(secrets, { "shop-DATABASE_URL": 2 });
    const commands = gcloud.commands();
    const [one, two] = commands.filter((command) => command.startsWith("run deploy"));
    assert.match(one ?? "", /--set-secrets DATABASE_URL=shop-DATABASE_URL:1 --allow-unauthenticated/);
    assert.match(two ?? "", /--set-secrets DATABASE_URL=shop-DATABASE_URL:2 --no-traffic/);
    const { releases } = await cloudRunTarget.look(shop());
    assert.deepEqual(
      releases.map(({ id, status }) => `${id} ${status}`),
      ["r1 replaced", "r2 live"],
    );
    assert.match((await cloudRunTarget.status(shop()))[1] ?? "", /shop-r2: 100% of the traffic/);
  });

  test("leaves the traffic where it is when the new revision is not healthy", async () => {
    const gcloud = start();
    await cloudRunTarget.release(attempt(shop(), first, secret));
    tried.status = 503;
    const fault = await failure(cloudRunTarget.release(attempt(shop(), second, secret)));
    assert.equal(fault.outcome, "unchanged");
    assert.match(fault.message, /Last it said: 503/);
    assert.equal(gcloud.state().traffic?.find(({ percent }) => percent)?.revisionName, "shop-r1");
    const { releases } = await cloudRunTarget.look(shop());
    assert.deepEqual(
      releases.map(({ id, status }) => `${id} ${status}`),
      ["r1 live", "r2 failed"],
    );
  });

  test("moves the traffic back when the new revision fails after the switch", async () => {
    const gcloud = start();
    await cloudRunTarget.release(attempt(shop(), first, secret));
    // Well, and then unwell as soon as all ask it, until the old one is asked again.
    served.status = () => (gcloud.state().traffic?.[0]?.revisionName === "shop-r2" ? 500 : 200);
    const fault = await failure(cloudRunTarget.release(attempt(shop(), second, secret)));
    assert.equal(fault.outcome, "rolled_back");
    assert.equal(gcloud.state().traffic?.[0]?.revisionName, "shop-r1");
    served.status = () => (gcloud.commands().filter((one) => one.includes("shop-r3=100")).length > 0 ? 500 : 200);
    const worse = await failure(cloudRunTarget.release(attempt(shop(), second, secret)));
    assert.equal(worse.outcome, "rollback_failed");
  });

  test("does not believe that the traffic moved", async () => {
    const gcloud = start();
    await cloudRunTarget.release(attempt(shop(), first, secret));
    gcloud.change((project) => {
      project.isStubborn = true;
    });
    const fault = await failure(cloudRunTarget.release(attempt(shop(), second, secret)));
    assert.deepEqual([fault.code, fault.outcome], ["not_seen", "rolled_back"]);
  });

  test("leaves nothing of a first release that fails", async () => {
    const gcloud = start();
    tried.status = 503;
    const fault = await failure(cloudRunTarget.release(attempt(shop(), first, secret)));
    assert.equal(fault.outcome, "unchanged");
    assert.equal(gcloud.state().traffic, undefined);
  });

  test("goes back by moving the traffic only", async () => {
    const gcloud = start();
    await cloudRunTarget.release(attempt(shop(), first, secret));
    await cloudRunTarget.release(attempt(shop(), second, `${secret}-new`));
    const count = gcloud.commands().length;
    const { release } = await cloudRunTarget.rollback(shop(), undefined, options, quiet());
    assert.equal(release.id, "r1");
    assert.equal(gcloud.state().traffic?.[0]?.revisionName, "shop-r1");
    const changing = gcloud
      .commands()
      .slice(count)
      .filter((one) => !/describe|list|config/.test(one));
    const move =
      "run services update-traffic shop --to-revisions shop-r1=100 --project my-project --region europe-west1";
    assert.deepEqual(changing, [`${move} --quiet`]);
  });

  test("lets a secret be seen in what gcloud reads and nowhere else", async () => {
    const told: string[] = [];
    const gcloud = start();
    await cloudRunTarget.release(attempt(shop(), first, secret, { progress: quiet(told) }));
    gcloud.change((project) => {
      project.script = [{ when: "^secrets versions add", answer: { code: 1, stderr: `ERROR: ${secret}` } }];
    });
    const again = attempt(shop(), second, `${secret}-new`);
    const fault = await cloudRunTarget.release(again).catch((error: Error) => error);
    const rendered = await cloudRunTarget.render?.(again);
    const calls = gcloud.calls();
    for (const { args, stdin } of calls)
      assert.equal(
        stdin.includes("s3cret"),
        args.join(" ").startsWith("secrets versions add shop-DATABASE_URL --data-file=-"),
      );
    const rest = calls.map(({ args, env }) => [args, env]);
    const all = JSON.stringify([rest, told, String(fault), rendered, gcloud.processes(), gcloud.state().revisions]);
    assert.ok(!all.includes("s3cret-planted-here"));
  });

  const faults: [string, string, string][] = [
    ["gcloud_login", "^run services", "ERROR: You do not currently have an active account selected."],
    ["no_region", "run/region", ""],
    ["no_project", "value project", ""],
    ["api_disabled", "^run services", "Cloud Run Admin API has not been used in project 1 before or it is disabled."],
    ["gcloud_unreachable", "^run services", "ERROR: gcloud crashed (ConnectionError): Connection refused"],
  ];
  for (const [code, when, stderr] of faults)
    test(`says ${code}`, async () => {
      start({ script: [{ when, answer: { code: stderr === "" ? 0 : 1, stderr } }] });
      await assert.rejects(cloudRunTarget.check(shop(), options), { code });
    });

  test("refuses several services and a service that it did not make", async () => {
    start({ traffic: [{ revisionName: "shop-00001", percent: 100 }] });
    await assert.rejects(cloudRunTarget.check(shop("shop", "stock"), options), { code: "one_service" });
    await assert.rejects(cloudRunTarget.check(shop(), options), { code: "name_taken" });
  });
});

/** A server whose health is what a test says. */
async function answering() {
  const told: { status: number | (() => number) } = { status: 200 };
  const server = createServer((_, response) => {
    response.statusCode = typeof told.status === "number" ? told.status : told.status();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(told, { url, close: () => void server.close() });
}
