import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { credentials } from "../backend/kit/suite/auth/tokens.ts";

export interface Request {
  /** The whole HTTP message. A placeholder in it is replaced by a new text each time. */
  message: string;
  /** The expected status. */
  status: number;
}

export interface Job extends Request {
  /** Each connection has one of them. */
  ports: number[];
  connections: number;
  ms: number;
}

/** How many requests were answered, and how many in a second. */
export type Done = { count: number; rate: number };
export type Outcome = Done | { failure: string };

export const connections = 64;

/** The placeholder for a text that is different in each message. */
export const unique = "never-the-same-text";

/** The placeholder for the id of any of the seeded items. */
export const anyId = "the-id-of-any-seeded-item";

/** The number of items in a database for pages. */
export const seeded = 100_000;

/** Ids that grow and look like UUIDs of version 7. */
export function toId(number: number): string {
  const hex = (value: number, length: number) => Math.floor(value).toString(16).padStart(length, "0");
  return `${hex(number / 65_536, 8)}-${hex(number % 65_536, 4)}-7000-8000-${hex(number, 12)}`;
}

/** Sends requests from its own process, one at a time on each connection. */
export class Load {
  readonly #generator = fork(join(import.meta.dirname, "generator.ts"));

  async run(ports: number[], request: Request, ms: number): Promise<Done> {
    const job: Job = { ...request, ports, connections, ms };
    this.#generator.send(job);
    const [outcome] = (await once(this.#generator, "message")) as [Outcome];
    if ("failure" in outcome) throw new Error(outcome.failure);
    return outcome;
  }

  end(): void {
    this.#generator.disconnect();
  }
}

/** Both sides of a comparison get it, even if they do not read it. */
const authorization = `Authorization: ${credentials["Authorization"]}`;

export function createGet(path: string): Request {
  return { message: `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n\r\n`, status: 200 };
}

export function createPost(path: string, body: string): Request {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: localhost",
    authorization,
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return { message: `${head.join("\r\n")}\r\n\r\n${body}`, status: 201 };
}
