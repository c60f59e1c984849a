import { toCommand } from "../new/command.ts";
import { defaultFields, writeField } from "../new/field.ts";
import { findFlagFaults } from "../new/find-faults.ts";
import { toInput } from "../new/input.ts";
import { ownNode } from "../new/own-node.ts";
import { readQuery, writeQuery } from "../new/query.ts";
import { joinService } from "../new/service-parts.ts";
import { type AnyInput, gatherShared, readAnyRequest, writeAnyRequest } from "../new/services.ts";
import { version } from "../version.ts";
import type { Choices, Preview, RequestAnswer } from "./api.ts";
import type { Projects } from "./projects.ts";

/** What a link has besides the choices. */
const linkParameters = ["dory", "digest"];

/** What the choices of the page's address make, with every fault at its control. */
export function preview(projects: Projects, query: string, isPublic: boolean): Preview {
  const all = new URLSearchParams(query);
  const link = { version: all.get("dory"), digest: all.get("digest") };
  const { wrong, input, faults, request, settled } = readChoices(all);
  const made = request && projects.make(request);
  const canonical = writeQuery(settled);
  return {
    version,
    command: printSettled(settled, isPublic),
    query: canonical,
    link: made ? `${canonical}&dory=${version}&digest=${made.digest.slice(0, 16)}` : canonical,
    choices: toChoices(input),
    faults,
    notes: [...wrong.map(({ message }) => `${message} The rest is kept.`), ...describeLink(link, made?.digest)],
    request: request ? (settled as RequestAnswer) : null,
    digest: made?.digest ?? null,
    files: made?.entries ?? [],
    figures: made?.figures ?? null,
  };
}

/** The command of a preview, without making its files. */
export function printCommand(query: string, isPublic: boolean): string {
  return printSettled(readChoices(new URLSearchParams(query)).settled, isPublic);
}

function printSettled(settled: AnyInput, isPublic: boolean): string {
  return toCommand(isPublic || settled.node !== ownNode ? settled : withoutNode(settled));
}

/** What was asked for: as it was given, and, if nothing is wrong with it, in its usual form. */
function readChoices(given: URLSearchParams) {
  const all = new URLSearchParams(given);
  for (const name of linkParameters) all.delete(name);
  const { flags, faults: wrong } = readQuery(all);
  const input = withDefaults({ ...toInput(flags), name: flags.name ?? defaults.name });
  const faults = findFlagFaults(flags, input);
  const request = faults.length === 0 ? readAnyRequest(input) : undefined;
  const settled = request ? gatherShared(writeAnyRequest(request)) : input;
  return { wrong, input, faults, request, settled };
}

/** What the page shows first. */
export const defaults = {
  name: "my-api",
  framework: "hono",
  database: "both",
  node: ownNode,
  fields: defaultFields.map(writeField),
};

/** On this machine it is the default. */
const withoutNode = ({ node: _, ...input }: AnyInput): AnyInput => input;

/** Services have frameworks of their own. */
function withDefaults(input: AnyInput): AnyInput {
  const { framework, ...others } = defaults;
  return { ...others, ...(input.services ? {} : { framework }), ...input };
}

function toChoices(input: AnyInput): Choices {
  const { name = "", framework = "", database = "", node = "", services = [] } = input;
  const { fields = [], resources = [], features = [], webhooks = [] } = input;
  return {
    name,
    framework,
    service: services.map(joinService),
    database,
    node,
    field: fields,
    resource: resources,
    with: features,
    webhook: webhooks,
  };
}

function describeLink(link: { version: string | null; digest: string | null }, digest: string | undefined): string[] {
  const isOther = link.version !== null && link.version !== version;
  if (link.digest === null || digest === undefined || digest.startsWith(link.digest))
    return isOther
      ? [`This link was made by Dory ${link.version}, and this is ${version}. The files are the same.`]
      : [];
  return isOther
    ? [
        `This link was made by Dory ${link.version}, and this is ${version}: the files differ. To get the same, use npx dory@${link.version} studio.`,
      ]
    : ["The files differ from those that this link was made for."];
}
