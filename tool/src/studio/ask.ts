import { Fault } from "../fault.ts";
import { findFaults, findFlagFaults, type PartFault } from "../new/find-faults.ts";
import { toInput } from "../new/input.ts";
import { ownNode } from "../new/own-node.ts";
import { ParameterFault, readQuery } from "../new/query.ts";
import { type AnyInput, type AnyRequest, readAnyInput, readAnyRequest } from "../new/services.ts";
import { HttpFault } from "./http.ts";

/** The request of a query; the name may stand elsewhere. Every fault is reported. */
export function readQueryRequest(query: URLSearchParams, name?: string): AnyRequest {
  const { flags, faults } = readQuery(query);
  if (name !== undefined && flags.name !== undefined && flags.name !== name)
    faults.push(
      new ParameterFault("name", { code: "name", message: "The path names the project. Leave the name out." }),
    );
  const input = { ...toInput(flags), name: name ?? flags.name ?? "" };
  return readInput(input, faults, (asked) => findFlagFaults(flags, asked));
}

/** The request of a JSON document, as `dory new --json` reads it. */
export function readJsonRequest(value: object): AnyRequest {
  const faults: ParameterFault[] = [];
  for (const [name, member] of Object.entries(value)) attempt(() => readAnyInput({ [name]: member }), faults, name);
  if ("folder" in value)
    faults.push(new ParameterFault("folder", { code: "request", message: "An archive has no folder. Leave it out." }));
  if (faults.length > 0) throw toProblem(faults);
  const input = attempt(() => readAnyInput(value), faults, "request");
  if (input === undefined) throw toProblem(faults);
  return readInput(input, faults, findFaults);
}

function readInput(input: AnyInput, faults: ParameterFault[], find: (asked: AnyInput) => PartFault[]): AnyRequest {
  const asked = { node: ownNode, ...input };
  for (const fault of find(asked)) faults.push(new ParameterFault(fault.parameter, fault, fault.index));
  const request = faults.length === 0 ? attempt(() => readAnyRequest(asked), faults, "request") : undefined;
  if (request === undefined || faults.length > 0) throw toProblem(faults);
  return request;
}

function attempt<T>(read: () => T, faults: ParameterFault[], parameter: string): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    faults.push(new ParameterFault(parameter, error));
    return undefined;
  }
}

function toProblem(faults: ParameterFault[]): HttpFault {
  const errors = faults.map(({ parameter, index, message }) => ({
    parameter,
    ...(index === undefined ? {} : { index }),
    detail: message,
  }));
  const [first] = faults as [ParameterFault];
  const { code, message, parameter } = first;
  return new HttpFault({ status: 400, code, detail: message, parameter, errors });
}
