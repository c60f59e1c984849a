import { listChoices } from "../fault.ts";
import type { Flag, Usage } from "../flags.ts";
import { capitalize } from "../new/names.ts";
import type { PublishOption } from "../new/options.ts";
import { publishUsage } from "../usage/publish.ts";
import type { PublishField, PublishOptions } from "./api.ts";
import { HttpFault } from "./http.ts";

// The forms of publishing follow from the flags of the commands: what a command offers, the page offers.

/** Flags that are other controls of the page: the target, the secrets, the button Plan; and the one for programs. */
const elsewhere = ["to", "env-file", "env-stdin", "env", "plan", "json"];

/** Flags that only some targets have. */
const targetFlags: readonly string[] = [
  "port",
  "domain",
  "replicas",
  "autoscale",
  "registry",
] satisfies PublishOption[];

const listFlags = ({ flags }: Usage): [name: string, flag: Flag][] =>
  Object.entries<Flag>(flags).filter(([name]) => !elsewhere.includes(name));

/** The fields that the form of every target has. */
export function listSharedFields(): PublishField[] {
  return listFlags(publishUsage)
    .filter(([name]) => !targetFlags.includes(name))
    .map(([name, flag]) => describeFlag(name as keyof PublishOptions, flag));
}

export function describeTargetField(name: PublishOption, isRequired: boolean): PublishField {
  return { ...describeFlag(name, publishUsage.flags[name]), isRequired };
}

/** In the words of the flag. */
function describeFlag(name: keyof PublishOptions, flag: Flag): PublishField {
  const [help, isOff] = [flag.help, flag.default === true];
  const words = `${isOff ? "no-" : ""}${name}`.replaceAll("-", " ");
  const described = { name, title: capitalize(words), sentence: `${capitalize(help)}.`, isRequired: false };
  if (flag.type === "boolean") return { ...described, type: "checkbox", checked: !isOff };
  return { ...described, type: "text", placeholder: flag.default ?? "" };
}

/** Reads what a form sends for a command. Empty fields are left out. Nothing but its flags: a folder is not one of them. */
export function readForm<T>(usage: Usage, value: unknown): T {
  const flags = new Map(listFlags(usage));
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw refuse("texts by name");
  const given = Object.entries(value).filter(([, one]) => !(typeof one === "string" && one.trim() === ""));
  for (const [name, one] of given) {
    const flag = flags.get(name);
    if (!flag) {
      const detail = listChoices(`option of dory ${usage.command}`, name, [...flags.keys()]);
      throw new HttpFault({ status: 400, code: "unknown_option", detail, parameter: "options" });
    }
    if (typeof one !== flag.type) throw refuse(`"${name}" as a ${flag.type}`);
  }
  return Object.fromEntries(given) as T;
}

function refuse(expected: string): HttpFault {
  return new HttpFault({ status: 400, code: "request", detail: `"options" has ${expected}.`, parameter: "options" });
}
