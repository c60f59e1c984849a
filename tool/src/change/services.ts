import { lstatSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { Fault } from "../fault.ts";
import type { Request } from "../new/request.ts";
import { parseService } from "../new/service.ts";
import {
  type AnyRequest,
  type ApplicationRequest,
  expectService,
  isApplication,
  readAnyRequest,
  writeAnyRequest,
} from "../new/services.ts";
import type { Edit } from "./edit.ts";

/** `dory add service web=koa`. A new service uses the same database as the others. */
export function readServiceAddition(texts: string[]): Edit {
  const added = texts.map(parseService);
  if (added.length === 0) throw new Fault("usage", "Name the service, like dory add service web=koa.");
  const folders = added.map(({ name = "" }) => name);
  return {
    title: `Add service ${folders.join(", ")}`,
    folders,
    apply(request) {
      const { services, ...input } = writeInput(request);
      const present = folders.find((name) => services.some((service) => service.name === name));
      if (present !== undefined)
        throw new Fault("already_there", `This application has the service "${present}" already.`);
      const [database, ...others] = [...new Set(services.map((service) => service.database))];
      const shared = database === undefined || others.length > 0 ? {} : { database };
      return readAnyRequest({ ...input, services: [...services, ...added.map((one) => ({ ...shared, ...one }))] });
    },
  };
}

/** `dory remove service jobs`. */
export function readServiceRemoval(names: string[]): Edit {
  if (names.length === 0) throw new Fault("usage", "Name the service to remove: dory remove service NAME.");
  return {
    title: `Remove service ${names.join(", ")}`,
    apply(request) {
      const { services, ...input } = writeInput(request);
      for (const name of names) expectService(request as ApplicationRequest, name);
      const left = services.filter(({ name = "" }) => !names.includes(name));
      if (left.length > 0) return readAnyRequest({ ...input, services: left });
      throw new Fault(
        "last_service",
        "An application has at least one service. Add another one before you remove the last.",
      );
    },
  };
}

/** Applies a change of a project to a service of an application: the named one, or the only one. */
export function limitToService(edit: Edit, name: string | undefined): Edit {
  return {
    ...edit,
    title: name === undefined ? edit.title : `${edit.title} in ${name}`,
    apply(request) {
      if (!isApplication(request)) return name === undefined ? edit.apply(request) : expectApplication(request);
      const meant = edit.isForAll && name === undefined ? request.services : [chooseService(request, name)];
      const changed = applyToEach(edit, meant);
      const services = request.services.map((service) => changed.get(service) ?? service);
      const node = [...changed.values()][0]?.node ?? request.node;
      if (node !== request.node && name !== undefined)
        throw new Fault(
          "usage",
          "All services run on the same Node. Change it in the application's folder, without --service.",
        );
      return readAnyRequest(writeAnyRequest({ ...request, services, node }));
    },
  };
}

/** Services that have the values already stay unchanged. */
function applyToEach(edit: Edit, services: Request[]): Map<Request, Request> {
  const changed = new Map<Request, Request>();
  let fault: unknown;
  for (const service of services) {
    try {
      changed.set(service, edit.apply(service) as Request);
    } catch (error) {
      if (!(error instanceof Fault && error.code === "already_there")) throw error;
      fault = error;
    }
  }
  if (changed.size === 0) throw fault;
  return changed;
}

function chooseService(request: ApplicationRequest, name: string | undefined): Request {
  const [first, another] = request.services as [Request, Request?];
  if (name !== undefined || another === undefined) return expectService(request, name ?? first.name);
  const names = request.services.map((service) => service.name);
  throw new Fault(
    "which_service",
    `Name the service with --service ${names.join(" or --service ")}, or run this in its folder.`,
  );
}

function writeInput(request: AnyRequest) {
  const { services = [], ...input } = writeAnyRequest(expectApplication(request));
  return { services, ...input };
}

export function expectApplication(request: AnyRequest): ApplicationRequest {
  if (isApplication(request)) return request;
  const { name, framework } = request;
  throw new Fault(
    "no_application",
    `${name} is a single backend without services. Make an application with dory new NAME --service api=${framework} and others, and copy your code into its folder api.`,
  );
}

/** Refuses folders that are not empty; packages and bundles do not count. */
export function checkFolders(root: string, { folders = [] }: Edit): void {
  for (const folder of folders) {
    const found = listEntries(join(root, folder)).filter((name) => !["node_modules", "dist"].includes(name));
    if (found.length > 0)
      throw new Fault(
        "folder_not_empty",
        `${folder} exists already, with ${found.slice(0, 3).join(", ")}. Move it away, or choose another name for the service.`,
      );
  }
}

/** The names in a folder; for a file, its own name. */
function listEntries(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isDirectory() ? readdirSync(path) : [basename(path)];
}
