import type { IncomingHttpHeaders } from "node:http";
import type { Listed } from "../list.ts";

/** Who sends events: how it signs them, and what it says of them. */
export interface WebhookSource<Payload> {
  /** One of its secrets, as whoever runs this is given it; what is kept of it is the key. */
  secret: Listed<Buffer>;
  /** The headers that are read, and what they hold. Each must come once, if at all. */
  headers: Record<string, string>;
  /** What the headers claim. Where they claim nothing, it throws. */
  readClaim(headers: IncomingHttpHeaders): Claim;
  /** Which event this is. Without an id of its own, it is known by its bytes. */
  identify(payload: Partial<Payload>, headers: IncomingHttpHeaders): { id?: unknown; type?: unknown };
  /** What is answered at once to a message that is no event. */
  answer?(payload: Partial<Payload>): object | undefined;
}

/** A claim to have signed a body. */
export interface Claim {
  /** What was signed in front of the body. */
  prefix: string;
  /** Of several, one has to fit: a source that replaces its secret signs with both. */
  signatures: Buffer[];
  /** When it was signed, in seconds since 1970, if the scheme tells. */
  signedAt?: number;
}

/** An event, as a handler gets it. */
export interface WebhookEvent<Payload = unknown> {
  /** The same at every attempt. */
  id: string;
  type: string;
  payload: Payload;
  /** The bytes that were signed. */
  body: Buffer;
  receivedAt: Date;
  /** 1 the first time. */
  attempt: number;
  /** Aborted when the handler has run out of time: what it does after that may be done twice at once. */
  signal: AbortSignal;
}
