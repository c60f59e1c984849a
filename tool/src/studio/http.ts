import { STATUS_CODES } from "node:http";
import type { Fault } from "../fault.ts";
import type { Problem } from "./api.ts";

/** A request, as far as routes need it. */
export interface Asked {
  method: string;
  url: URL;
  headers: NodeJS.Dict<string | string[]>;
  /** The body as text; refuses one that is too large. */
  readText(): Promise<string>;
}

export interface Answer {
  status: number;
  headers: Record<string, string | number>;
  body: string | Buffer;
}

/** Answers a request, or leaves it to others. */
export type Route = (asked: Asked) => Answer | undefined | Promise<Answer | undefined>;

/** A failure with a status, as routes throw it. */
export class HttpFault extends Error {
  readonly answer: Answer;

  constructor(problem: Omit<Problem, "type" | "title">, headers: Record<string, string> = {}) {
    super(problem.detail);
    this.answer = answerProblem(problem, headers);
  }
}

export function answerProblem(problem: Omit<Problem, "type" | "title">, headers: Record<string, string> = {}): Answer {
  const { status, ...rest } = problem;
  const whole: Problem = { type: "about:blank", title: STATUS_CODES[status] ?? "Error", status, ...rest };
  return { status, headers: { "Content-Type": "application/problem+json", ...headers }, body: JSON.stringify(whole) };
}

export function answerJson(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return { status, headers: { "Content-Type": "application/json", ...headers }, body: JSON.stringify(value) };
}

export function answerText(body: string, status = 200, headers: Record<string, string> = {}): Answer {
  return { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers }, body };
}

/** A mistake of the person who asked. */
export const toProblem = ({ code, message }: Fault, status = 400) => new HttpFault({ status, code, detail: message });

export function refuseMethod(allowed: string): never {
  const detail = `This address answers ${allowed}.`;
  throw new HttpFault({ status: 405, code: "method_not_allowed", detail }, { Allow: allowed });
}

/** Reads a body of JSON: an object. */
export async function readJson<T extends object>(asked: Asked): Promise<T> {
  const value = await readAnyJson(asked);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as T;
  throw new HttpFault({ status: 400, code: "request", detail: 'The body is an object, like {"name":"my-api"}.' });
}

export async function readAnyJson(asked: Asked): Promise<unknown> {
  const type = String(asked.headers["content-type"] ?? "").split(";", 1)[0];
  if (type?.trim().toLowerCase() !== "application/json") {
    const detail = "Send JSON, with Content-Type: application/json.";
    throw new HttpFault({ status: 415, code: "unsupported_media_type", detail });
  }
  const text = await asked.readText();
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpFault({ status: 400, code: "malformed_json", detail: "The body is not JSON." });
  }
}

/** The weight that `Accept` gives a media type, by the most precise of its ranges: 0 if it is not accepted (RFC 9110, 12.5.1). */
export function weigh(accept: string | string[] | undefined, type: string): number {
  const ranges = new Map(
    String(accept ?? "*/*")
      .split(",")
      .map((range) => {
        const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
        const weight = Number(parameters.find((one) => one.startsWith("q="))?.slice(2) ?? 1);
        return [name, Number.isNaN(weight) ? 1 : weight];
      }),
  );
  return ranges.get(type) ?? ranges.get(type.replace(/\/.*/, "/*")) ?? ranges.get("*/*") ?? 0;
}

/** Whether a person looks at the answer: a program does not ask for HTML. */
export const isBrowser = ({ headers }: Asked) => /\btext\/html\b/.test(String(headers.accept ?? ""));
