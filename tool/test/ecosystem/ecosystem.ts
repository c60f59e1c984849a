import { createHmac } from "node:crypto";
import { frameworks } from "../../../backend/test/support/matrix.ts";

/** What people install with a framework: each package is used as its README shows, on plain Node and in a project. */
export interface Ecosystem {
  /** The framework of the project, if the list is for all of them. */
  framework?: (typeof frameworks)[number];
  /** A server on plain Node, as the framework's documentation writes it. It prints the line `{"message":"listening","port":…}`. */
  plain: string;
  /** Lines that mount `packages`, a list of `[path, mount]`. They are in the plain server and in `src/app.ts`. */
  mount: string;
  /** Further changes to `src/app.ts`: a text that is in it, and what its owner writes instead. */
  edit?: [from: string, to: string];
  /** The function that contains a package's code. */
  signature: string;
  /** Whether the server on plain Node has decorators, which Node cannot load. */
  isCompiled?: boolean;
  packages: Package[];
}

export interface Package {
  /** A package, or what the framework does by itself. */
  name: string;
  /** The exact version; none for what the framework does by itself. */
  version?: string;
  /** Packages that its README also installs. */
  with?: Record<string, string>;
  /** As the README shows it. Imports come first. It is mounted at `/<path>`, where the path is the name without a scope. */
  code: string;
  /** Paths below its own, or more than a GET. */
  requests: (string | Ask)[];
  /** Values that differ from request to request, in headers and bodies. */
  masks?: RegExp[];
  /** What is tried, for `docs/ecosystem.md`, if the name does not tell. */
  about?: string;
}

export interface Ask {
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer> | (() => FormData);
  /** A status of 500 or more that plain Node answers too, on purpose; 0 if it cuts the connection. */
  status?: number;
  /** Whether the status is that of an error that is thrown, which is a 500 in a project. */
  isThrown?: boolean;
  /** The answer in a project, where plain Node fails, or ends. */
  here?: { status: number; headers?: Record<string, string>; body?: string };
  /** Opens a WebSocket instead, and sends these texts: the first at once, each other after a message. As many messages are awaited. */
  socket?: string[];
}

/** The lists of this run: for each framework, and for any of them, which is tried in Hono. */
export const lists = [...frameworks, ...(frameworks.includes("hono") ? ["any"] : [])];

/** A string is the path of a GET. */
export const toAsk = (request: Ask | string): Ask => (typeof request === "string" ? { path: request } : request);

/** The path at which a package is mounted. */
export function toPath({ name }: Package): string {
  return name.replace(/^@/, "").replace(/[^\w.-]+/g, "-");
}

/** Five files of a megabyte each, and a field. */
export function upload(field = "files"): FormData {
  const form = new FormData();
  form.set("title", "five files");
  for (let index = 1; index <= 5; index++)
    form.append(field, new Blob([new Uint8Array(1_000_000).fill(64 + index)], { type: "text/plain" }), `${index}.txt`);
  return form;
}

/** One small file. */
export function smallUpload(field = "file"): FormData {
  const form = new FormData();
  form.set("title", "one file");
  form.append(field, new Blob(["a small file"], { type: "text/plain" }), "small.txt");
  return form;
}

/** A JSON body. */
export const json = (value: unknown, more: Ask = {}): Ask => ({
  method: "POST",
  body: JSON.stringify(value),
  ...more,
  headers: { "Content-Type": "application/json", ...more.headers },
});

/** A form's body. */
export const form = (text: string, more: Ask = {}): Ask => ({
  method: "POST",
  body: text,
  ...more,
  headers: { "Content-Type": "application/x-www-form-urlencoded", ...more.headers },
});

/** The header `Authorization` with a JSON Web Token, signed with the secret that the packages use. */
export const bearer = `Bearer ${signed({ alg: "HS256", typ: "JWT" }, { name: "ann" })}`;

function signed(...parts: object[]): string {
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${createHmac("sha256", "not-a-secret-for-tests").update(text).digest("base64url")}`;
}
