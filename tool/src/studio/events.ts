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
/** Events that a page can still get after it was closed. */
const mostEvents = 10_000;
/** A page that reads nothing is cut. */
const mostWaitingBytes = 8e6;

/** What happened, in order; pages follow it, and catch up when they come back. */
export class Events {
  readonly #events: StudioEvent[] = [];
  readonly #streams = new Set<ServerResponse>();
  #last = 0;

  get last(): number {
    return this.#last;
  }

  add(event: NewEvent): void {
    this.#last += 1;
    const whole = { id: this.#last, at: new Date().toISOString(), ...event } as StudioEvent;
    this.#events.push(whole);
    if (this.#events.length > mostEvents) this.#events.splice(0, this.#events.length - mostEvents);
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
      this.#streams.add(response);
      response.once("close", () => this.#streams.delete(response));
      const missed = this.#events.filter(({ id }) => id > after);
      response.write(`retry: 1000\n\n${missed.map(printEvent).join("")}`);
    };
  }

  close(): void {
    for (const stream of this.#streams) stream.end();
  }
}

const printEvent = (event: StudioEvent) => `id: ${event.id}\ndata: ${JSON.stringify(event)}\n\n`;
