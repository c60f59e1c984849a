import type { ServerResponse } from "node:http";
import type { StudioEvent } from "./api.ts";
import { HttpFault } from "./http.ts";
import { type Stream, sharedHeaders } from "./server.ts";

/** An event before it has a number and a time. */
export type NewEvent = StudioEvent extends infer Event
  ? Event extends StudioEvent
    ? Omit<Event, "id" | "at">
    : never
  : never;

/** Pages that follow the events at the same time. */
const mostStreams = 20;
/** Events that a page can still get after it was closed. Logs are long, and must not push out the rest. */
const mostEvents = 5000;
const mostLines = 2000;
/** A page that reads nothing is cut. */
const mostWaitingBytes = 8e6;

/** What happened, in order; pages follow it, and catch up when they come back. */
export class Events {
  readonly #events: StudioEvent[] = [];
  readonly #lines: StudioEvent[] = [];
  readonly #streams = new Set<ServerResponse>();
  #isClosed = false;
  #last = 0;

  get last(): number {
    return this.#last;
  }

  add(event: NewEvent): void {
    this.#last += 1;
    const whole = { id: this.#last, at: new Date().toISOString(), ...event } as StudioEvent;
    const [list, most] = whole.type === "line" ? [this.#lines, mostLines] : [this.#events, mostEvents];
    list.push(whole);
    if (list.length > most) list.shift();
    for (const stream of this.#streams) {
      if (stream.writableLength > mostWaitingBytes) stream.destroy();
      else stream.write(printEvent(whole));
    }
  }

  /** Sends what came after an event, and then what comes. */
  follow(after: number): Stream {
    if (this.#streams.size >= mostStreams)
      throw new HttpFault(
        {
          status: 429,
          code: "too_many_streams",
          detail: `${mostStreams} pages follow this studio already. Close some of them.`,
        },
        { "Retry-After": "5" },
      );
    return (response) => {
      response.writeHead(200, { ...sharedHeaders, "Content-Type": "text/event-stream" });
      if (!this.#isClosed) this.#streams.add(response);
      response.once("close", () => this.#streams.delete(response));
      const kept = [...this.#events, ...this.#lines].sort((one, other) => one.id - other.id);
      const missed = kept.filter(({ id }) => id > after);
      response.write(`retry: 1000\n\n${missed.map(printEvent).join("")}`);
      if (this.#isClosed) response.end();
    };
  }

  /** What ends with the studio is still an event, but nobody follows it. */
  close(): void {
    this.#isClosed = true;
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }
}

const printEvent = (event: StudioEvent) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
