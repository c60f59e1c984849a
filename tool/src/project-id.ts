import { randomBytes } from "node:crypto";
import { Fault } from "./fault.ts";

/** The id in `dory.json` tells a project from others with its name; clones have the same. */
export const createProjectId = () => randomBytes(8).toString("hex");

export function readProjectId(value: unknown): string {
  if (typeof value === "string" && /^[a-z0-9]{8,64}$/.test(value)) return value;
  throw new Fault("id", '"id" in dory.json is what dory new wrote: 8 to 64 lower-case letters and digits.');
}
