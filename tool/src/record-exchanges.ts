import { AsyncLocalStorage } from "node:async_hooks";
import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** A request and its answer, as text. */
export interface Exchange {
  request: string;
  /** Null if nothing was answered. */
  answer: string | null;
}

const mostExchanges = 20;
const mostCharacters = 4000;

/**
 * Records what a piece of work sends and receives on new connections of this thread. The suite writes to sockets itself,
 * and knows nothing of it.
 */
export function createRecorder() {
  const storage = new AsyncLocalStorage<Exchange[]>();
  subscribe("net.client.socket", (message) => watch((message as { socket: Socket }).socket, storage));
  return <T>(exchanges: Exchange[], work: () => Promise<T>): Promise<T> => storage.run(exchanges, work);
}

/** What is written belongs to the work that writes it; what arrives, to the last that was written. */
function watch(socket: Socket, storage: AsyncLocalStorage<Exchange[]>): void {
  let current: Exchange | undefined;
  const { write, push } = socket;
  const note = (chunk: unknown) => {
    const exchanges = storage.getStore();
    if (!exchanges || !(typeof chunk === "string" || Buffer.isBuffer(chunk))) return;
    if (current && current.answer === null && exchanges.at(-1) === current)
      current.request = add(current.request, chunk);
    else {
      current = { request: add("", chunk), answer: null };
      exchanges.push(current);
      if (exchanges.length > mostExchanges) exchanges.shift();
    }
  };
  const writeAndNote = (...args: unknown[]) => {
    note(args[0]);
    return (write as (...args: unknown[]) => boolean).apply(socket, args);
  };
  // When it connects, a socket sets its method again.
  Object.defineProperty(socket, "write", { get: () => writeAndNote, set: () => {} });
  socket.push = function (this: Socket, ...args: Parameters<Socket["push"]>) {
    if (current && Buffer.isBuffer(args[0])) current.answer = add(current.answer ?? "", args[0]);
    return push.apply(this, args);
  };
}

function add(text: string, chunk: string | Buffer): string {
  if (text.length >= mostCharacters) return text;
  const whole = text + chunk.toString("utf8");
  return whole.length > mostCharacters ? `${whole.slice(0, mostCharacters)}…` : whole;
}
