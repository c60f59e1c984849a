import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

/** The share of the memory of the process that unfinished requests may take together. Handling them takes more. */
const share = 1 / 8;
/** If there is too much, connections end until this part of it is left: not one of them for each new byte. */
const lowered = 0.75;
/** How often a new body may end larger ones. Looking for them takes time. */
const pauseMs = 20;

/** A connection, as far as it takes memory. */
export interface Holder {
  /** The bytes that are kept for it. */
  readonly heldBytes: number;
  /** Whether they wait for the client, or for their turn. What a handler works with is not taken away from it. */
  readonly isWaiting: boolean;
  /** Ends it, so that its bytes are free. */
  giveUp(): void;
  /** Reads nothing more in this turn. */
  holdBack(): void;
  readOn(): void;
}

/** The memory for the bytes of unfinished requests, and of answers that clients have not taken. */
export class Memory {
  readonly #holders: () => Iterable<Holder>;
  readonly #limit: number;
  #keptBytes = 0;
  #checkFrom: number;
  #madeRoomAt = 0;

  constructor(holders: () => Iterable<Holder>, limit = measureMemory() * share) {
    this.#holders = holders;
    this.#limit = limit;
    this.#checkFrom = limit;
  }

  /** Records that so many bytes are kept or, if negative, are not kept any more. Ends connections if that is too much. */
  keep(bytes: number): void {
    this.#keptBytes += bytes;
    if (bytes <= 0) this.#checkFrom = Math.max(this.#limit, Math.min(this.#checkFrom, this.#keptBytes * 1.05));
    else if (this.#keptBytes > this.#checkFrom) this.#end();
  }

  #end(): void {
    this.#free(this.#limit, 0);
    // If what is left waits for handlers, a check for each byte would only cost time.
    this.#checkFrom = Math.max(this.#limit, this.#keptBytes * 1.05);
    // Node frees what it keeps of a connection at the end of the turn. One turn reads from thousands of them.
    const holders = Array.from(this.#holders());
    for (const holder of holders) holder.holdBack();
    setImmediate(() => {
      for (const holder of holders) holder.readOn();
    });
  }

  /** Whether there is room for a new body. Larger ones that are still arriving make room for it. */
  hasRoomFor(bytes: number): boolean {
    if (this.#keptBytes + bytes > this.#limit && performance.now() - this.#madeRoomAt > pauseMs) {
      this.#free(this.#limit - bytes, bytes);
      this.#madeRoomAt = performance.now();
    }
    return this.#keptBytes + bytes <= this.#limit;
  }

  /** Ends those that hold more than `least`, the largest first. */
  #free(allowed: number, least: number): void {
    if (this.#keptBytes <= allowed) return;
    const waiting = Array.from(this.#holders()).filter((holder) => holder.heldBytes > least && holder.isWaiting);
    for (const holder of waiting.sort((one, other) => other.heldBytes - one.heldBytes)) {
      if (this.#keptBytes <= allowed * lowered) return;
      holder.giveUp();
    }
  }
}

/** The memory that the process may use: its container's or the machine's, and what its heap allows. */
function measureMemory(): number {
  const container = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(container, totalmem(), 2 * getHeapStatistics().heap_size_limit);
}
