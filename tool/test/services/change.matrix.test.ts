import assert from "node:assert/strict";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { earlier, later } from "../../../backend/test/support/matrix.ts";
import { createChange, type Edit, readAddition } from "../../src/change/edit.ts";
import { mergeRequests } from "../../src/change/join.ts";
import { listNotes } from "../../src/change/report.ts";
import { checkFolders, limitToService, readServiceAddition, readServiceRemoval } from "../../src/change/services.ts";
import { Fault } from "../../src/fault.ts";
import { findLocation } from "../../src/location.ts";
import { type AnyInput, readAnyRequest, writeAnyRequest } from "../../src/new/services.ts";
import { made, Owner } from "../change/owner.ts";
import { dory } from "../dory.ts";
import { temporaryFolder } from "../support.ts";

const api = { name: "api", framework: "koa" };
const jobs = { name: "jobs", framework: "h3" };
const shop: AnyInput = { name: "shop", database: "postgres", services: [api] };
const withJobs: AnyInput = { ...shop, services: [api, jobs] };

describe("an unchanged application", () => {
  test("is, after dory add service, what dory new makes; removed, it is as before", { skip: earlier }, async () => {
    const owner = await Owner.of(shop);
    await owner.has(await owner.add("service", "jobs=h3"), made(withJobs));
    const gone = await owner.remove("service", "jobs");
    await owner.has(gone, made(shop));
    assert.ok(!existsSync(join(owner.folder, "jobs")));
    assert.match(listNotes(gone).join("\n"), /stay in the folder jobs:[\s\S]*DROP SCHEMA "jobs" CASCADE;$/);
  });

  test("gets a migration in the folder of the service that changes", { skip: earlier }, async () => {
    const owner = await Owner.of(withJobs);
    owner.service = "jobs";
    const change = await owner.add("field", "price:number");
    const path = "jobs/migrations/0001-add-field-price-in-jobs.postgres.sql";
    assert.deepEqual(listNotes(change).slice(1), [`  ${path}`]);
    assert.match(owner.read(path), /^ALTER TABLE "items" ADD COLUMN "price" double precision NOT NULL DEFAULT/m);
  });

  test("joins what was added separately in two clones", { skip: later }, async () => {
    const one = await Owner.of(shop);
    const other = await one.clone();
    await one.add("service", "jobs=h3");
    await other.add("service", "web=hono");
    await assert.rejects(one.git("pull", "--quiet", "--no-rebase", "--no-edit", other.folder), /dory\.json/);
    await one.git("checkout", "--ours", ".");
    await one.commit("Resolved, carelessly");
    one.service = "api";
    const { after } = await one.add("auth");
    const services = [{ ...api, features: ["auth"] }, jobs, { name: "web", framework: "hono" }];
    assert.deepEqual(writeAnyRequest(after), writeAnyRequest(readAnyRequest({ ...shop, services })));
  });
});

test("one service is changed, or all of them if the change is for all", () => {
  const before = readAnyRequest(withJobs);
  const inJobs = limitToService(readAddition(["field", "price:number"]), "jobs");
  assert.equal(inJobs.title, "Add field price in jobs");
  const after = inJobs.apply(before);
  const changed = { ...jobs, fields: ["name:string(1..200)", "price:number"] };
  assert.deepEqual(after, readAnyRequest({ ...withJobs, services: [api, changed] }));
  const all = { ...withJobs, database: "both", node: "system" };
  const changedAll = limitToService(createChange({ database: "both", node: "system" }, {}), undefined).apply(before);
  assert.deepEqual(changedAll, readAnyRequest(all));
  const only = limitToService(readAddition(["auth"]), undefined).apply(readAnyRequest(shop));
  assert.deepEqual(only, readAnyRequest({ ...shop, services: [{ ...api, features: ["auth"] }] }));
});

test("services that were changed separately are merged one by one, and removed if the other side did not change them", () => {
  const write = (services: object[]) => writeAnyRequest(readAnyRequest({ ...shop, services }));
  const base = write([api, jobs]);
  const one = write([{ ...api, features: ["auth"] }, jobs, { name: "web", framework: "hono" }]);
  const other = write([{ ...api, framework: "hono", features: ["cors"] }]);
  const merged = [
    { ...api, framework: "hono", features: ["auth", "cors"] },
    { name: "web", framework: "hono" },
  ];
  assert.deepEqual(writeAnyRequest(mergeRequests(base, one, other, one)), write(merged));
});

test("a service that the owner changed is not removed without a conflict", { skip: later }, async () => {
  const owner = await Owner.of(shop);
  await owner.add("service", "jobs=h3");
  await owner.edit("jobs/src/app.ts", (text) => `${text}export const mine = 1;\n`);
  const { merged } = await owner.remove("service", "jobs");
  assert.deepEqual(merged.conflict?.paths, ["jobs/src/app.ts"]);
});

describe("an invalid change to an application", () => {
  const single: AnyInput = { name: "my-api", framework: "koa" };
  const mistakes: [code: string, of: AnyInput, edit: () => Edit, message: RegExp][] = [
    [
      "which_service",
      withJobs,
      () => limitToService(readAddition(["auth"]), undefined),
      /--service api or --service jobs, or run/,
    ],
    ["unknown_service", withJobs, () => limitToService(readAddition(["auth"]), "job"), /Did you mean jobs\?/],
    ["no_application", single, () => limitToService(readAddition(["auth"]), "api"), /is a single backend/],
    ["already_there", withJobs, () => readServiceAddition(["jobs=koa"]), /has the service "jobs" already/],
    ["unknown_service", withJobs, () => readServiceRemoval(["job"]), /Did you mean jobs\?/],
    ["last_service", shop, () => readServiceRemoval(["api"]), /Add another one before you remove the last/],
    ["last_service", withJobs, () => readServiceRemoval(["api", "jobs"]), /at least one service/],
    ["service_reserved", shop, () => readServiceAddition(["database=koa"]), /the database service/],
    ["service_repeated", shop, () => readServiceAddition(["web=koa", "web=h3"]), /Two services are named "web"/],
    ["missing_framework", shop, () => readServiceAddition(["web"]), /web=FRAMEWORK/],
    ["usage", shop, () => readServiceAddition([]), /dory add service web=koa/],
    ["usage", shop, () => readServiceRemoval([]), /dory remove service NAME/],
    ["usage", shop, () => limitToService(createChange({ node: "system" }, {}), "api"), /without --service/],
    ["no_application", single, () => readServiceAddition(["web=koa"]), /dory new NAME --service api=koa/],
    [
      "already_there",
      withJobs,
      () => limitToService(createChange({ database: "postgres" }, {}), undefined),
      /nothing would change/,
    ],
  ];
  for (const [code, of, edit, message] of mistakes)
    test(`is reported in one line: ${code}, ${message.source}`, () => {
      assert.throws(
        () => edit().apply(readAnyRequest(of)),
        (error) => {
          assert.ok(error instanceof Fault, String(error));
          assert.match(error.message, message);
          assert.deepEqual([error.code, /\n/.test(error.message)], [code, false]);
          return true;
        },
      );
    });
});

describe("dory", () => {
  /** An npm that makes a lock file where it is run. */
  const programs = { npm: "echo '{}' > package-lock.json" };

  test("makes the lock file of a new service, and removes both together", { skip: earlier }, async () => {
    const owner = await Owner.of(shop);
    const call = async (...args: string[]) => {
      const { code, stdout, stderr } = await dory(owner.folder, args, { programs }).outcome;
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const locked = /^jobs\/package-lock\.json is updated by npm, and committed\.$/m;
    assert.match(await call("add", "service", "jobs=h3"), locked);
    assert.equal(await owner.git("ls-files", "*package-lock.json"), "jobs/package-lock.json\n");
    await call("remove", "service", "jobs");
    assert.equal(await owner.git("ls-files", "jobs"), "");
    assert.equal(await owner.git("status", "--porcelain"), "");
  });
});

test("a folder that is not empty is not used for a new service", () => {
  const root = temporaryFolder();
  const edit = readServiceAddition(["jobs=h3"]);
  mkdirSync(join(root, "jobs/node_modules"), { recursive: true });
  checkFolders(root, edit);
  mkdirSync(join(root, "jobs/data"));
  assert.throws(() => checkFolders(root, edit), /^Error: jobs exists already, with data\. Move it away/);
  writeFileSync(join(root, "web"), "");
  assert.throws(() => checkFolders(root, readServiceAddition(["web=h3"])), /web exists already/);
});

test("a service is recognised by its folder", async () => {
  const { folder } = await Owner.of(shop);
  assert.deepEqual(findLocation(join(folder, "api")), { folder, service: "api" });
  for (const path of [folder, join(folder, "scripts")]) assert.deepEqual(findLocation(path), { folder: path });
});
