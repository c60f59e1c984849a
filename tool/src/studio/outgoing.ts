import type { ServerResponse } from "node:http";

/** Bytes of bodies that are being sent. A single body may have more. */
const mostBytes = 32e6;
/** The connections are limited too, so that smaller bodies need not be. */
const leastBytes = 4096;
const timeoutMs = 60_000;

/** The bodies of answers that clients have not taken yet. One that several clients get is kept once. */
export class Outgoing {
  readonly #clients = new Map<Buffer, number>();
  #bytes = 0;

  hasRoomFor(body: Buffer): boolean {
    const isFree = body.length < leastBytes || this.#bytes === 0 || this.#clients.has(body);
    return isFree || this.#bytes + body.length <= mostBytes;
  }

  /** Sends a body, and cuts off a client that does not take it. */
  send(response: ServerResponse, body: Buffer): void {
    const { socket } = response.req;
    const timer = setTimeout(() => socket.destroy(), timeoutMs).unref();
    this.#change(body, 1);
    const end = () => {
      clearTimeout(timer);
      this.#change(body, -1);
      for (const one of [response, socket]) one.off("close", end);
    };
    // An answer that waits for an earlier one ends with the connection.
    for (const one of [response, socket]) one.on("close", end);
    response.end(body);
  }

  #change(body: Buffer, change: 1 | -1): void {
    const before = this.#clients.get(body) ?? 0;
    const clients = before + change;
    if (clients === 0) this.#clients.delete(body);
    else this.#clients.set(body, clients);
    if (before === 0 || clients === 0) this.#bytes += change * body.length;
  }
}
