import { Fault } from "../fault.ts";
import { type Application, isPostgres, type Service } from "./application.ts";
import type { Options, Target } from "./target.ts";
import { findKnownVolumes } from "./volumes.ts";

/** Refuses what a target cannot do, and a missing registry. */
export function checkAbilities(
  { can, needsRegistry }: Target,
  application: Application,
  options: Options,
  { given, registry }: { given: NodeJS.ProcessEnv; registry: string | undefined },
): void {
  const asked = {
    services: application.services.length > 1,
    replicas: (options.replicas ?? 1) > 1 || (options.replicas !== undefined && can.replicas !== true),
    autoscale: options.autoscale !== undefined,
    port: options.port !== undefined,
    domain: options.domain !== undefined,
  };
  for (const [ability, isAsked] of Object.entries(asked)) {
    const answer = can[ability as keyof typeof asked];
    if (isAsked && answer !== true) throw new Fault(ability, answer);
  }
  for (const service of application.services) {
    if (can.files !== true) refuseLostData(service, given, can.files);
    refuseSharedFile(service, given, options);
    if (can.tags !== true) refuseTag(service, can.tags);
  }
  if (needsRegistry && registry === undefined)
    throw new Fault(
      "no_registry",
      'Images reach this target through a registry. Name it with --registry, or as "registry" in "publish" of dory.json.',
    );
}

/** An SQLite file is on one machine: two containers cannot share it, and some platforms keep no files. */
function isOnFile({ request, env, secrets }: Service, given: NodeJS.ProcessEnv): boolean {
  const url = secrets.includes("DATABASE_URL") ? given["DATABASE_URL"] : env["DATABASE_URL"];
  return request !== undefined && !isPostgres(url);
}

function refuseLostData(service: Service, given: NodeJS.ProcessEnv, why: string): void {
  const { name, image = "" } = service;
  if (isOnFile(service, given))
    throw new Fault(
      "sqlite_lost",
      `${name} keeps its data in an SQLite file. ${why} Set DATABASE_URL to a postgres: URL (as a secret).`,
    );
  if (findKnownVolumes(image).length > 0)
    throw new Fault(
      "data_lost",
      `${name} (${image}) keeps data. ${why} Remove ${name} from dory.json, and use a server elsewhere: for a database, set DATABASE_URL to its URL.`,
    );
}

function refuseSharedFile(service: Service, given: NodeJS.ProcessEnv, { replicas = 1 }: Options): void {
  if (replicas < 2 || !isOnFile(service, given)) return;
  throw new Fault(
    "sqlite_replicas",
    `${service.name} keeps its data in an SQLite file, which ${replicas} replicas cannot share. Set DATABASE_URL to a postgres: URL (as a secret), or publish one.`,
  );
}

/** A tag may later name another image. */
function refuseTag({ name, image }: Service, why: string): void {
  if (image === undefined || /@sha256:[0-9a-f]{64}$/.test(image)) return;
  throw new Fault(
    "image_not_pinned",
    `The image of ${name} is ${image}. ${why} Write NAME@sha256:…; docker pull prints it.`,
  );
}
