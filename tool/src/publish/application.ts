import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Fault } from "../fault.ts";
import { findLocation } from "../location.ts";
import { readName, readRequest, readRequestInput } from "../new/request.ts";
import { readProjectId } from "../project-id.ts";
import { isSecret } from "./credentials.ts";
import { resolveInside } from "./inside.ts";
import { checkRegistry, isImageReference } from "./reference.ts";

/** What is published: one service, or several that are released together. */
export interface Application {
  name: string;
  /** Tells it from other projects of the same name; projects of earlier versions have none until they are published. */
  id?: string;
  folder: string;
  /** The first is the public one. */
  services: Service[];
  /** Where images are pushed to, without the image's name. */
  registry?: string;
  /** Objects in the cluster that the application uses, by name. */
  kubernetes?: KubernetesSettings;
}

/** Names of objects that the owner of the cluster made. */
export interface KubernetesSettings {
  pullSecrets?: string[];
  ingressClass?: string;
  tlsSecret?: string;
  gateway?: string;
}

export interface Service {
  /** The other services reach it by this name. */
  name: string;
  /** Where its Dockerfile is; without a folder, `image` is prebuilt. */
  folder?: string;
  image?: string;
  port: number;
  env: Record<string, string>;
  /** Names of variables whose values are passed as files. */
  secrets: string[];
  /** What `dory new` made the backend from; other services have none. */
  request?: ReturnType<typeof readRequest>;
}

/** Whether a `DATABASE_URL` is that of a server, which several containers can share. */
export const isPostgres = (url: string | undefined) => /^postgres(ql)?:/.test(url ?? "");

/** Reads `dory.json` of a folder. */
export function readApplication(folder: string): Application {
  return toApplication(readDocument(folder), folder);
}

/** The application that a `dory.json` in a folder describes. */
export function toApplication(document: Record<string, unknown>, folder: string): Application {
  const name = readName(String(document["name"] ?? ""));
  const { registry, kubernetes, ...own } = readSettings(document["publish"], folder);
  const services =
    document["services"] === undefined
      ? [toBuiltService(name, folder, document, own)]
      : Object.entries(expectObject(document["services"], `"services" of ${folder}/dory.json`)).map(([name, service]) =>
          readService(folder, name, service),
        );
  if (services.length === 0) throw new Fault("application", `${folder}/dory.json lists no services.`);
  return {
    name,
    folder: resolve(folder),
    services,
    ...(document["id"] === undefined ? {} : { id: readProjectId(document["id"]) }),
    ...(registry === undefined ? {} : { registry }),
    ...(kubernetes === undefined ? {} : { kubernetes }),
  };
}

function readDocument(folder: string): Record<string, unknown> {
  const path = join(folder, "dory.json");
  if (!existsSync(path)) throw missingFault(folder);
  try {
    return expectObject(JSON.parse(readFileSync(path, "utf8")), path);
  } catch (error) {
    if (error instanceof Fault) throw error;
    throw new Fault("application", `${path} is not valid JSON: ${(error as Error).message}.`);
  }
}

function missingFault(folder: string): Fault {
  const { folder: above, service } = findLocation(folder);
  if (service === undefined)
    return new Fault("application", `There is no dory.json in ${resolve(folder)}. Go to a project's folder first.`);
  return new Fault(
    "application",
    `This is the service ${service} of an application. Run this in the folder of the application: ${above}`,
  );
}

function readService(parent: string, name: string, value: unknown): Service {
  const where = `service "${name}"`;
  readName(name);
  const { folder, image, port, framework, ...rest } = expectObject(value, where);
  if (framework !== undefined) return readMadeService(parent, name, expectObject(value, where));
  if ((typeof folder === "string") === (typeof image === "string"))
    throw new Fault("application", `The ${where} needs either a "folder" or an "image".`);
  if (typeof folder === "string") {
    const path = resolveInside(parent, folder);
    const document = readDocument(path);
    const { registry: _, kubernetes: __, ...own } = readSettings(document["publish"], path);
    const above = readSettings(rest, where);
    const env = { ...own.env, ...above.env };
    return toBuiltService(name, path, document, { env, secrets: [...new Set([...own.secrets, ...above.secrets])] });
  }
  if (!isImageReference(image as string))
    throw new Fault(
      "application",
      `The ${where} has an "image" that is not an image: ${JSON.stringify(image)}. Use one like postgres:18 or registry.example.com/team/api@sha256:….`,
    );
  if (typeof port !== "number" || !Number.isInteger(port) || port < 1 || port > 65_535)
    throw new Fault("application", `The ${where} needs a "port": the one that its image listens on.`);
  return { name, image: image as string, port, ...readSettings(rest, where) };
}

/** A service that `dory new` made, in the folder of its name. */
function readMadeService(parent: string, name: string, document: Record<string, unknown>): Service {
  const { env = {}, secrets = [], ...request } = document;
  const where = `service "${name}"`;
  try {
    return toBuiltService(
      name,
      resolveInside(parent, name),
      { name, ...request },
      readSettings({ env, secrets }, where),
    );
  } catch (error) {
    if (!(error instanceof Fault) || error.message.includes(where)) throw error;
    throw new Fault(error.code, `In the ${where}: ${error.message}`);
  }
}

function toBuiltService(name: string, folder: string, document: Record<string, unknown>, own: Settings): Service {
  const { publish: _, services: __, ...request } = document;
  return { name, folder: resolve(folder), port: 3000, ...own, request: readRequest(readRequestInput(request)) };
}

type Settings = Pick<Service, "env" | "secrets"> & Pick<Application, "registry" | "kubernetes">;

function readSettings(value: unknown, where: string): Settings {
  const { env = {}, secrets = [], registry, kubernetes, ...rest } = expectObject(value ?? {}, `"publish" of ${where}`);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw new Fault("application", `"${unknown}" is not known in ${where}: use env, secrets, registry and kubernetes.`);
  for (const [name, member] of Object.entries(expectObject(env, `"env" of ${where}`)))
    checkVariable(name, member, where);
  if (!Array.isArray(secrets) || !secrets.every((name) => typeof name === "string" && /^[A-Z][A-Z0-9_]*$/.test(name)))
    throw new Fault("application", `In ${where}, "secrets" is a list of variables' names, like ["DATABASE_URL"].`);
  const both = secrets.find((name) => Object.hasOwn(env as object, name));
  if (both !== undefined)
    throw new Fault("application", `In ${where}, ${both} is both in env and in secrets. Keep it in one of them.`);
  if (registry !== undefined && typeof registry !== "string")
    throw new Fault("application", `In ${where}, "registry" must be a string.`);
  if (registry !== undefined) checkRegistry(registry);
  return {
    env: env as Service["env"],
    secrets,
    ...(registry === undefined ? {} : { registry }),
    ...(kubernetes === undefined ? {} : { kubernetes: readKubernetesSettings(kubernetes, where) }),
  };
}

function readKubernetesSettings(value: unknown, where: string): KubernetesSettings {
  const settings = expectObject(value, `"kubernetes" of ${where}`);
  const isName = (name: unknown) => typeof name === "string" && /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/.test(name);
  for (const [key, member] of Object.entries(settings)) {
    if (!["pullSecrets", "ingressClass", "tlsSecret", "gateway"].includes(key))
      throw new Fault(
        "application",
        `"${key}" is not known in "kubernetes" of ${where}: use pullSecrets, ingressClass, tlsSecret and gateway.`,
      );
    const isFit = key === "pullSecrets" ? Array.isArray(member) && member.every(isName) : isName(member);
    if (!isFit)
      throw new Fault(
        "application",
        `In ${where}, kubernetes.${key} is ${key === "pullSecrets" ? "a list of names" : "a name"} of what the cluster has.`,
      );
  }
  return settings as KubernetesSettings;
}

function checkVariable(name: string, value: unknown, where: string): void {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
    throw new Fault(
      "application",
      `In ${where}, ${JSON.stringify(name)} of "env" cannot name a variable: use letters, digits and underscores.`,
    );
  if (typeof value !== "string") throw new Fault("application", `In ${where}, env.${name} must be a string.`);
  if (value.includes("\0"))
    throw new Fault("application", `In ${where}, env.${name} must not contain a NUL character.`);
  if (isSecret(name, value))
    throw new Fault(
      "secret_in_env",
      `In ${where}, env.${name} looks like a secret, and "env" ends up in command lines and in the history. Write "${name}" into the list "secrets" instead, and set its value in the environment or with --env-file. If it was committed, replace it.`,
    );
}

function expectObject(value: unknown, where: string): Record<string, unknown> {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Fault("application", `${where} must be an object.`);
}
