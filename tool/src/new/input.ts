import { Fault } from "../fault.ts";
import { frameworks, readPath } from "./request.ts";
import { parseService } from "./service.ts";
import { splitService } from "./service-parts.ts";
import type { AnyInput } from "./services.ts";

/** What the flags of `dory new` ask for; the parameters of an address have the same names. */
export interface InputFlags {
  framework?: string;
  service?: string[];
  field?: string[];
  resource?: string[];
  database?: string;
  with?: string[];
  webhook?: string[];
  node?: string;
}

export function readInputFlags(path: string | undefined, flags: InputFlags): AnyInput {
  checkOneFramework(flags);
  flags.service?.map(parseService);
  return { ...(path === undefined ? {} : readPath(path)), ...toInput(flags) };
}

export function checkOneFramework({ service, framework }: InputFlags): void {
  if (service && framework !== undefined)
    throw new Fault("usage", "--service names the framework of each service. Leave --framework out.");
}

/** What is wrong stays as it is. */
export function toInput(flags: InputFlags): AnyInput {
  return {
    ...(flags.framework === undefined ? {} : { framework: flags.framework }),
    ...(flags.service === undefined ? {} : { services: flags.service.map(splitService) }),
    ...(flags.field === undefined ? {} : { fields: flags.field }),
    ...(flags.resource === undefined ? {} : { resources: flags.resource }),
    ...(flags.database === undefined ? {} : { database: flags.database }),
    ...(flags.node === undefined ? {} : { node: flags.node }),
    ...(flags.with === undefined ? {} : { features: splitNames(flags.with) }),
    ...(flags.webhook === undefined ? {} : { webhooks: splitNames(flags.webhook) }),
  };
}

/** A flag that may be repeated, or take several values. */
export const splitNames = (values: string[]) => values.flatMap((names) => names.split(",").map((name) => name.trim()));

/** For a request without a framework. */
export const missingFramework = (hint = "") =>
  new Fault("missing_framework", `Choose a framework with --framework: ${frameworks.join(", ")}.${hint}`);
