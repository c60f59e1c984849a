import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Fault } from "../fault.ts";
import { createProjectId } from "../project-id.ts";
import type { Application } from "./application.ts";
import type { Release } from "./release.ts";

/** Refuses a project if another one of its name was published here, whose traffic and data it would get. */
export function refuseOtherProject({ name, id }: Application, releases: Release[], isTakingOver = false): void {
  const last = releases.findLast(({ status, project }) => project !== undefined && holding.includes(status));
  if (!last || last.project === id || isTakingOver) return;
  const { id: release, status, by, at } = last;
  const state = status === "removed" ? "was published here, and left its data" : "is published here";
  throw new Fault(
    "name_taken",
    `Another project named ${name} ${state}: ${release} by ${by} at ${at}, project id ${last.project}. Choose another "name" in dory.json. If it is this project, set "id" in dory.json to "${last.project}". If this project shall replace that one and get its data, run dory publish --take-over once.`,
  );
}

/** A release that failed holds nothing. */
const holding: Release["status"][] = ["live", "replaced", "removed"];

/** Writes an id into `dory.json` of a project that has none. */
export function giveId(application: Application): string {
  const id = createProjectId();
  const path = join(application.folder, "dory.json");
  try {
    // As the first member, so that nothing else in the file changes.
    const text = readFileSync(path, "utf8").replace(
      /^\s*\{(\s*)/,
      (start, space) => `${start}"id": "${id}",${space || " "}`,
    );
    writeFileSync(path, text);
  } catch {
    throw new Fault("id", `dory.json has no "id", and cannot be written. Add "id": "${id}" to it, and commit it.`);
  }
  application.id = id;
  return id;
}
