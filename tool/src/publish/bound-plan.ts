import { createHash, createHmac, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.ts";
import { planProject, planRollbackProject, publishProject, rollBackProject, type Watcher } from "./actions.ts";
import type { Given } from "./allowed.ts";
import type { Application } from "./application.ts";
import { readCommit } from "./commit.ts";
import { findIgnoreFile, listContextFiles } from "./context.ts";
import type { Confirm, Facts } from "./facts.ts";
import type { PlannedPublish } from "./publish.ts";
import type { PublishRequest, RollbackRequest } from "./request.ts";
import type { PlannedRollback } from "./rollback.ts";
import type { Published } from "./target.ts";

/** What a person or a program agrees to: what would be done, under an id that does only that. */
export interface PlanRequest {
  publish: PublishRequest;
  rollback: RollbackRequest;
}

export type PlanAction = keyof PlanRequest;

/** The plans of one program. They are void as soon as something differs from when they were made, and are used once. */
export interface BoundPlans {
  planPublish(request: PublishRequest, given: Given, watcher: Watcher): Promise<Bound<PlannedPublish>>;
  planRollback(request: RollbackRequest, watcher: Watcher): Promise<Bound<PlannedRollback>>;
  /** The values of secrets are not kept: they must be the same again. */
  publish(id: string, given: Given, watcher: Watcher): Promise<Published>;
  rollBack(id: string, watcher: Watcher): Promise<Published>;
  /** What a plan was made for, as long as it is not used. */
  read<A extends PlanAction>(id: string, action: A): PlanRequest[A];
}

/** A plan with its id, without what it depends on: that holds the values of secrets. */
type Bound<P> = Omit<P, "facts"> & { id: string };

export function createBoundPlans(): BoundPlans {
  // Only in this program: a hash that is kept or printed elsewhere tells nothing about a value.
  const key = randomBytes(32);
  const kept = new Map<string, Kept>();
  const keep = async (action: PlanAction, request: PublishRequest | RollbackRequest, facts: Facts) => {
    const id = `plan-${randomBytes(9).toString("base64url")}`;
    kept.set(id, { action, request, basis: await hashFacts(facts, key) });
    for (const oldest of [...kept.keys()].slice(0, -mostPlans)) kept.delete(oldest);
    return id;
  };
  const take = <A extends PlanAction>(id: string, action: A): { request: PlanRequest[A]; confirm: Confirm } => {
    const { request, basis } = expectPlan(kept, id, action);
    kept.delete(id);
    return {
      request: request as PlanRequest[A],
      confirm: async (facts) => refuseChange(basis, await hashFacts(facts, key)),
    };
  };
  return {
    async planPublish(request, given, watcher) {
      const { facts, ...planned } = await planProject(request, given, watcher);
      return { id: await keep("publish", request, facts), ...planned };
    },
    async planRollback(request, watcher) {
      const { facts, ...planned } = await planRollbackProject(request, watcher);
      return { id: await keep("rollback", { ...request, release: planned.release }, facts), ...planned };
    },
    async publish(id, given, watcher) {
      const { request, confirm } = take(id, "publish");
      return publishProject(request, given, { ...watcher, confirm });
    },
    async rollBack(id, watcher) {
      const { request, confirm } = take(id, "rollback");
      return rollBackProject(request, { ...watcher, confirm });
    },
    read: (id, action) => expectPlan(kept, id, action).request as PlanRequest[typeof action],
  };
}

interface Kept {
  action: PlanAction;
  request: PublishRequest | RollbackRequest;
  basis: Basis;
}

const mostPlans = 100;

function expectPlan(kept: Map<string, Kept>, id: string, action: PlanAction): Kept {
  const found = kept.get(id);
  if (!found)
    throw new Fault(
      "plan_unknown",
      `There is no plan "${id}": it was used, or made by another program. Make a new plan.`,
    );
  if (found.action !== action)
    throw new Fault("plan_unknown", `"${id}" is a plan for a ${found.action}, not for a ${action}. Make a new plan.`);
  return found;
}

/** What a plan depends on, as hashes: no value can be read from it. */
type Basis = Record<keyof typeof words, string>;

/** Each part in words, in the order in which they are compared. */
const words = {
  commit: "the commit",
  files: "the files of the project",
  settings: "the settings in dory.json",
  target: "what is published at the target",
  values: "a value of a secret",
};

function refuseChange(before: Basis, now: Basis): void {
  const parts = Object.keys(words) as (keyof Basis)[];
  const changed = parts.filter((part) => before[part] !== now[part]).map((part) => words[part]);
  if (changed.length === 0) return;
  throw new Fault(
    "plan_void",
    `The plan is void: after it was made, ${changed.join(" and ")} changed. Nothing was done. Make a new plan, and look at it again.`,
  );
}

async function hashFacts({ application, place, releases, secrets }: Facts, key: Buffer): Promise<Basis> {
  // A project without an id gets one when it is published.
  const { id: _, folder: __, services, ...own } = application;
  const settings = [own, services.map(({ request: _, ...service }) => service)];
  return {
    commit: (await readCommit(application.folder)).commit ?? "",
    files: await hashFiles(application),
    settings: hashJson(settings),
    target: hashJson([place, releases]),
    values: createHmac("sha256", key).update(JSON.stringify(secrets)).digest("hex"),
  };
}

const hashJson = (value: unknown) => createHash("sha256").update(JSON.stringify(value)).digest("hex");

/** All files that images are built from, committed or not. */
async function hashFiles({ services }: Application): Promise<string> {
  const hash = createHash("sha256");
  for (const { name, folder } of services) {
    if (folder === undefined) continue;
    // The settings are compared by their meaning.
    const files = listContextFiles(folder, await findIgnoreFile(folder)).filter((file) => file !== "dory.json");
    for (const file of [...new Set(["Dockerfile", ...files])].sort()) {
      const content = readFileSync(join(folder, file));
      hash.update(`${name}\0${file}\0${content.length}\0`).update(content);
    }
  }
  return hash.digest("hex");
}
