import { Fault } from "../fault.ts";
import { lists, type Request, type RequestInput, readRequest, writeRequest } from "../new/request.ts";
import { isApplication } from "../new/services.ts";
import { version } from "../version.ts";
import { createUpdate, type Edit, findIndex, readKey, toSingular } from "./edit.ts";

/** All changes from one request to another at once, as a form makes them. Without any, an update. */
export function createReplacement(before: Request, after: Request): Edit {
  if (before.name !== after.name)
    throw new Fault("name", `A project keeps its name, ${before.name}: npm, its folder, images and data have it too.`);
  const parts = describeChanges(writeRequest(before), writeRequest(after));
  if (parts.length === 0) return createUpdate(version);
  const title = parts.join(", ");
  return {
    title: title.charAt(0).toUpperCase() + title.slice(1),
    apply(request) {
      if (isApplication(request)) throw new Error("a replacement is for one backend");
      const { name, id } = request;
      return readRequest({ ...writeRequest(after), name, ...(id === undefined ? {} : { id }) });
    },
  };
}

function describeChanges(before: RequestInput, after: RequestInput): string[] {
  const single = (["framework", "database", "node"] as const)
    .filter((name) => before[name] !== after[name])
    .map((name) => `change ${name} to ${after[name]}`);
  return [...single, ...lists.flatMap((list) => describeList(list, before[list] ?? [], after[list] ?? []))];
}

function describeList(list: (typeof lists)[number], before: string[], after: string[]): string[] {
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
