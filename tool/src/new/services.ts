import { isDeepStrictEqual } from "node:util";
import { Fault, listChoices } from "../fault.ts";
import { readProjectId } from "../project-id.ts";
import { checkCount, checkTogether } from "./limits.ts";
import { type Request, type RequestInput, readName, readRequest, readRequestInput, writeRequest } from "./request.ts";
import { checkServiceName } from "./service.ts";

/** An application: several backends in one repository, each in the folder of its name. */
export interface ApplicationRequest {
  name: string;
  /** Tells it from other applications of the same name. */
  id?: string;
  /** The first is the public one. */
  services: Request[];
  node: Request["node"];
}

export type AnyRequest = Request | ApplicationRequest;

/** Either of them as flags and JSON contain it. Members next to `services` are defaults for all services. */
export type AnyInput = RequestInput & { services?: RequestInput[] };

export const isApplication = (request: AnyRequest): request is ApplicationRequest => "services" in request;

/** The name of the service with the database. */
export const databaseService = "database";

export const hasDatabase = ({ services }: ApplicationRequest) =>
  services.some(({ database }) => database === "postgres");

/** Names of databases have at most 63 characters. */
export const databaseName = ({ name }: ApplicationRequest) => name.slice(0, 63);

/** Reads the JSON form: services are a list, or an object as in `dory.json`. */
export function readAnyInput(value: unknown): AnyInput {
  const { services, ...rest } = (value ?? {}) as { services?: unknown };
  const input = readRequestInput(typeof value === "object" && !Array.isArray(value) && value !== null ? rest : value);
  return services === undefined ? input : { ...input, services: listServices(services).map(readServiceInput) };
}

function listServices(services: unknown): object[] {
  const isRecord = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);
  if (Array.isArray(services) && services.every(isRecord)) return services;
  if (!isRecord(services) || !Object.values(services as object).every(isRecord))
    throw new Fault(
      "request",
      'In a request, "services" is a list of objects, like [{"name":"api","framework":"hono"}].',
    );
  // The others are images or separate projects.
  const made = Object.entries(services as object).filter(([, service]) => "framework" in service);
  if (made.length === 0)
    throw new Fault(
      "no_services",
      "None of these services was made by dory new. A service with a folder has its own dory.json: run this in its folder.",
    );
  return made.map(([name, { env: _, secrets: __, ...service }]) => ({ name, ...service }));
}

function readServiceInput(value: object): RequestInput {
  const foreign = ["id", "folder", "node", "dory", "publish", "services"].find((name) => name in value);
  if (foreign !== undefined)
    throw new Fault("request", `"${foreign}" belongs to the application, not to one of its services.`);
  return readRequestInput(value);
}

export function readAnyRequest({ services, ...input }: AnyInput): AnyRequest {
  if (services === undefined) {
    const request = readRequest(input);
    checkTogether([input]);
    return request;
  }
  const { name = "", id, folder: _, ...defaults } = input;
  const application = readName(name);
  if (services.length === 0)
    throw new Fault("no_services", `An application has at least one service, like --service api=hono.`);
  checkCount("services", services);
  const whole = services.map((service) => ({ ...defaults, ...service }));
  const read = whole.map((service) => readService(application, service));
  checkTogether(whole);
  const own = { name: application, ...(id === undefined ? {} : { id: readProjectId(id) }) };
  const request = { ...own, services: read, node: (read[0] as Request).node };
  checkNames(request);
  return request;
}

export function writeAnyRequest(request: AnyRequest): AnyInput {
  if (!isApplication(request)) return writeRequest(request);
  const { services, ...own } = request;
  return { ...own, services: services.map(writeService) };
}

/** The form of flags: what all services have in common stands next to them. */
export function gatherShared({ services, ...own }: AnyInput): AnyInput {
  if (services === undefined) return own;
  const [{ name: _, framework: __, ...first } = {}] = services;
  const shared = Object.entries(first).filter(([member, value]) =>
    services.every((service) => isDeepStrictEqual(service[member as keyof RequestInput], value)),
  );
  const isOwn = ([member]: [string, unknown]) => !shared.some(([name]) => name === member);
  const left = services.map((service): RequestInput => Object.fromEntries(Object.entries(service).filter(isOwn)));
  return { ...own, services: left, ...Object.fromEntries(shared) };
}

/** Whether services differ in nothing but their names and frameworks, as flags can ask for them. */
export const isPlain = ({ services = [] }: AnyInput) =>
  services.every(({ name: _, framework: __, ...rest }) => Object.keys(rest).length === 0);

function writeService(service: Request): RequestInput {
  const { node: _, ...own } = writeRequest(service);
  return own;
}

function readService(application: string, input: RequestInput): Request {
  const { name = "" } = input;
  checkServiceName(name);
  try {
    return { ...readRequest(input), application };
  } catch (error) {
    if (error instanceof Fault) throw new Fault(error.code, `In the service "${name}": ${error.message}`);
    throw error;
  }
}

function checkNames(request: ApplicationRequest): void {
  const names = request.services.map(({ name }) => name);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated !== undefined)
    throw new Fault("service_repeated", `Two services are named "${repeated}". Give each another name.`);
  if (hasDatabase(request) && names.includes(databaseService))
    throw new Fault(
      "service_reserved",
      `"${databaseService}" cannot name a service on PostgreSQL: the database service has this name. Choose another name.`,
    );
}

export function expectService({ name: application, services }: ApplicationRequest, name: string): Request {
  const found = services.find((service) => service.name === name);
  if (found) return found;
  const names = services.map((service) => service.name);
  throw new Fault("unknown_service", listChoices(`service of ${application}`, name, names));
}
