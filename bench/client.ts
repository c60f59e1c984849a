import { randomInt, randomUUID } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { anyId, seeded, toId, unique } from "./load.ts";

const nothing = Buffer.alloc(0);

/** One connection with one request at a time. It reads only what it must of an answer, to measure the server. */
export class Client {
  readonly #socket: Socket;
  #head: Buffer = nothing;
  /** The answer's body, once its head is read. */
  #body: Body | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async connect(port: number): Promise<Client> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    await once(socket, "connect");
    return new Client(socket);
  }

  /** Sends the request again after each answer, until the deadline; resolves with the number of answers. */
  repeat(request: string, status: number, deadline: number): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    const next = createMessages(request);
    let count = 0;
    this.#socket.on("error", reject);
    this.#socket.on("close", () => reject(new Error("the server closed a connection")));
    this.#socket.on("data", (chunk: Buffer) => {
      try {
        if (!this.#endsAnswer(chunk, status)) return;
      } catch (error) {
        reject(error);
        return;
      }
      count++;
      if (performance.now() < deadline) this.#socket.write(next());
      else resolve(count);
    });
    this.#socket.write(next());
    return promise;
  }

  end(): void {
    this.#socket.destroy();
  }

  #endsAnswer(chunk: Buffer, status: number): boolean {
    const isWhole = this.#body ? this.#body(chunk) : this.#readHead(chunk, status);
    if (isWhole) this.#body = undefined;
    return isWhole;
  }

  #readHead(chunk: Buffer, status: number): boolean {
    const bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk]);
    const end = bytes.indexOf("\r\n\r\n");
    this.#head = end === -1 ? bytes : nothing;
    if (end === -1) return false;
    const head = bytes.toString("latin1", 0, end);
    if (!head.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`The answer is not a ${status}:\n${head}`);
    this.#body = createBody(head);
    return this.#body(bytes.subarray(end + 4));
  }
}

/** Returns the message, with new texts in the places of placeholders each time. */
function createMessages(request: string): () => Buffer {
  const whole = Buffer.from(request);
  for (const [placeholder, make] of Object.entries(placeholders)) {
    const [start = "", end] = request.split(placeholder);
    if (end !== undefined) return () => Buffer.from(start + make() + end);
  }
  return () => whole;
}

/** Deep pages have as many items as the first. */
const placeholders = { [unique]: randomUUID, [anyId]: () => toId(randomInt(1000, seeded)) };

/** Takes the bytes of a body as they arrive; returns true once it is complete. */
type Body = (bytes: Buffer) => boolean;

function createBody(head: string): Body {
  const [, length] = /^content-length: *(\d+)/im.exec(head) ?? [];
  return length === undefined ? chunkedBody() : sizedBody(Number(length));
}

function sizedBody(length: number): Body {
  let missing = length;
  return (bytes) => {
    missing -= bytes.length;
    return missing === 0;
  };
}

/** The JSON text contains no line break, so that the last chunk is unambiguous. */
function chunkedBody(): Body {
  const last = "0\r\n\r\n";
  let tail = "";
  return (bytes) => {
    tail = (tail + bytes.toString("latin1", Math.max(0, bytes.length - last.length))).slice(-last.length);
    return tail === last;
  };
}
