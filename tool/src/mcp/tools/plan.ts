import * as z from "zod";
import { Fault } from "../../fault.ts";
import { folderSchema, readInput, targetSchema } from "../schemas.ts";
import { type Call, createWatcher, defineTool } from "../tool.ts";

const seconds = (description: string) => z.int().describe(description).optional();

const input = z.strictObject({
  folder: folderSchema,
  action: z.enum(["publish", "rollback"]).default("publish"),
  target: targetSchema,
  port: z.int().describe("The port that it serves on. Default: unchanged, or 8080 the first time").optional(),
  domain: z.string().describe("Serve this domain; on an engine over HTTPS, on ports 80 and 443").optional(),
  replicas: z.int().describe("Instances of each service").optional(),
  autoscale: z.string().describe("As many instances as needed, like 2..10").optional(),
  registry: z.string().describe("Where images are pushed to, like registry.example.com/team").optional(),
  smoke: z.boolean().default(true).describe("Test the image before it is released"),
  force: z.boolean().default(false).describe("Release again even if nothing changed"),
  takeOver: z.boolean().default(false).describe("Replace another project of this name, and get its data"),
  wait: z.boolean().default(false).describe("Wait while someone else publishes"),
  healthSeconds: seconds("How long a new container may take to become healthy"),
  watchSeconds: seconds("How long a release is watched before the old one is removed"),
  release: z.string().describe("With rollback: the release to restore, like r3. Default: the previous one").optional(),
  keepSecrets: z.boolean().default(false).describe("With rollback: keep the current secrets"),
});

const service = z.object({
  name: z.string(),
  from: z.string(),
  port: z.int(),
  env: z.array(z.string()).describe("Names of variables"),
  secrets: z.array(z.string()).describe("Names of secrets"),
  changes: z.array(z.string()).nullable().describe("Compared with what is live; null if it is new"),
});

export const planTool = defineTool({
  name: "dory_plan",
  title: "Plan a publish or a rollback",
  description:
    "Checks everything and says what a publish or a rollback would do. Changes nothing. The id that it returns is what dory_publish and dory_rollback need; it is void once the commit, a file, the target's releases or a value of a secret changes. Show the plan to the person, and let them decide. Values of secrets come from the project's .env, or from variables that dory mcp --env names.",
  input,
  output: z.object({
    id: z.string().describe("For dory_publish or dory_rollback"),
    action: z.enum(["publish", "rollback"]),
    target: z.string(),
    place: z.string().describe("The project, cluster or app").optional(),
    commit: z.string().nullable(),
    isDirty: z.boolean().describe("Whether there are changes that are not committed").optional(),
    live: z.string().nullable().describe("The release that is live now"),
    replicas: z.int().optional(),
    services: z.array(service).optional(),
    release: z.string().describe("The release that would be restored").optional(),
    secretsRestored: z.array(z.string()).describe("Services whose earlier secrets would be restored").optional(),
    warnings: z.array(z.string()),
  }),
  isReadOnly: true,
  isOpen: true,
  run: (asked, call) => (asked.action === "publish" ? planPublish(asked, call) : planRollback(asked, call)),
});

type Asked = z.output<typeof input>;

async function planPublish(asked: Asked, call: Call) {
  refuseOthers(asked, "publish", { release: undefined, keepSecrets: false });
  const { session } = call;
  const request = readDestination(asked, call);
  const { domain, autoscale, registry, smoke, force } = asked;
  const optional = readInput({
    domain,
    autoscale,
    registry,
    port: toText(asked.port),
    replicas: toText(asked.replicas),
  });
  const publish = { ...request, ...optional, "take-over": asked.takeOver, smoke, force };
  const planned = await session.plans.planPublish(publish, session.readGiven(request.folder), createWatcher(call));
  const { id, plan, place, warnings } = planned;
  const { target, commit, isDirty, live, replicas } = plan;
  const services = plan.services.map(({ secrets, ...service }) => ({ ...service, secrets: secrets.names }));
  const where = place === undefined ? {} : { place };
  return { id, action: "publish" as const, target, ...where, commit, isDirty, live, replicas, services, warnings };
}

async function planRollback(asked: Asked, call: Call) {
  refuseOthers(asked, "rollback", {
    port: undefined,
    domain: undefined,
    replicas: undefined,
    autoscale: undefined,
    registry: undefined,
    smoke: true,
    force: false,
    takeOver: false,
  });
  const request = readDestination(asked, call);
  const named = asked.release === undefined ? {} : { release: asked.release };
  const rollback = { ...request, ...named, "keep-secrets": asked.keepSecrets };
  const { id, release, live, commit, secretsRestored } = await call.session.plans.planRollback(
    rollback,
    createWatcher(call),
  );
  const base = { id, action: "rollback" as const, target: asked.target };
  return { ...base, commit, live, release, secretsRestored, warnings: [] };
}

/** What an action does not use would be ignored silently. `unused` are such members with their defaults. */
function refuseOthers(asked: Asked, action: Asked["action"], unused: Partial<Asked>): void {
  const names = Object.keys(unused) as (keyof Asked)[];
  const given = names.find((name) => asked[name] !== unused[name]);
  if (given === undefined) return;
  throw new Fault("usage", `${given} is not for a ${action}. Leave it out.`);
}

function readDestination({ folder, target, wait, healthSeconds, watchSeconds }: Asked, { session }: Call) {
  const pace = readInput({ "health-seconds": toText(healthSeconds), "watch-seconds": toText(watchSeconds) });
  return { folder: session.resolveFolder(folder), to: target, wait, ...pace };
}

const toText = (number: number | undefined) => (number === undefined ? undefined : String(number));
