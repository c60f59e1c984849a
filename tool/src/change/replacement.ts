import { Fault } from "../fault.ts";
import { lists } from "../new/request.ts";
import {
  type AnyInput,
  type AnyRequest,
  gatherShared,
  isApplication,
  isPlain,
  readAnyRequest,
  writeAnyRequest,
} from "../new/services.ts";
import { version } from "../version.ts";
import { createUpdate, type Edit, findIndex, readKey, toSingular } from "./edit.ts";
import { expectApplication } from "./services.ts";

/** All changes from one request to another at once, as a form makes them. Without any, an update. */
export function createReplacement(before: AnyRequest, after: AnyRequest): Edit {
  if (before.name !== after.name)
    throw new Fault("name", `A project keeps its name, ${before.name}: npm, its folder, images and data have it too.`);
  checkKinds(before, after);
  const [old, wanted] = [before, after].map((request) => gatherShared(writeAnyRequest(request))) as [
    AnyInput,
    AnyInput,
  ];
  if (!isPlain(old)) throw unevenFault(before.name);
  const parts = describeChanges(old, wanted);
  if (parts.length === 0) return createUpdate(version);
  const title = parts.join(", ");
  return {
    title: title.charAt(0).toUpperCase() + title.slice(1),
    folders: listServices(wanted)
      .map(readKey)
      .filter((name) => findIndex(listServices(old), name) < 0),
    apply: ({ id }) => readAnyRequest({ ...wanted, ...(id === undefined ? {} : { id }) }),
  };
}

/** For services that flags cannot ask for. */
export const unevenFault = (name: string) =>
  new Fault(
    "services",
    `The services of ${name} differ in more than their frameworks. Change them with dory add, dory remove and dory change, in the folder of a service.`,
  );

function checkKinds(before: AnyRequest, after: AnyRequest): void {
  if (isApplication(after)) expectApplication(before);
  else if (isApplication(before))
    throw new Fault(
      "last_service",
      `${before.name} is an application, which has at least one service. To make a project of a service, copy its folder out of it.`,
    );
}

const listServices = ({ services = [] }: AnyInput) => services.map(({ name, framework }) => `${name}: ${framework}`);

function describeChanges(before: AnyInput, after: AnyInput): string[] {
  const single = (["framework", "database", "node"] as const)
    .filter((name) => before[name] !== after[name])
    .map((name) => `change ${name} to ${after[name]}`);
  return [
    ...single,
    ...describeList("services", listServices(before), listServices(after)),
    ...lists.flatMap((list) => describeList(list, before[list] ?? [], after[list] ?? [])),
  ];
}

function describeList(list: (typeof lists)[number] | "services", before: string[], after: string[]): string[] {
  const word = list === "features" ? "" : `${toSingular(list)} `;
  const added = after.filter((one) => findIndex(before, one) < 0);
  const removed = before.filter((one) => findIndex(after, one) < 0);
  const changed = after.filter((one) => findIndex(before, one) >= 0 && !before.includes(one));
  const verbs: [verb: string, members: string[]][] = [
    ["add", added],
    ["remove", removed],
    ["change", changed],
  ];
  const parts = verbs
    .filter(([, members]) => members.length > 0)
    .map(([verb, members]) => `${verb} ${word}${members.map(readKey).join(" and ")}`);
  const isMoved = parts.length === 0 && before.join("\n") !== after.join("\n");
  return isMoved ? [`change the order of ${list}`] : parts;
}
