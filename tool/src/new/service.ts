import { Fault } from "../fault.ts";
import { frameworks, type RequestInput } from "./request.ts";
import { splitService } from "./service-parts.ts";

/** Reads `api=hono`. */
export function parseService(text: string): RequestInput {
  const service = splitService(text);
  if (service.framework !== undefined) return service;
  throw new Fault(
    "missing_framework",
    `Name the framework of the service: ${service.name || "api"}=FRAMEWORK. Choose from: ${frameworks.join(", ")}.`,
  );
}

/** The name is a folder, and the host name for the other services. */
export function checkServiceName(name: string): void {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40)
    throw new Fault(
      "service_name",
      `"${name}" cannot name a service: it is a folder and a host name. Begin with a lower-case letter, and use letters, digits and single dashes, at most 40 characters.`,
    );
  const reason = reserved.get(name);
  if (reason) throw new Fault("service_reserved", `"${name}" cannot name a service: ${reason}. Choose another name.`);
}

const reserved = new Map([
  ...["data", "dist", "scripts", "src", "test"].map((name): [string, string] => [
    name,
    "it is a folder with another use",
  ]),
  ["localhost", "it is the name of this machine"],
]);
