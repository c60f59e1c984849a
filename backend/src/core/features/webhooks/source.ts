import type { IncomingHttpHeaders } from "node:http";
import type { ListElement } from "../../environment.ts";

/** A sender of events: how it signs and describes them. */
export interface WebhookSource<Payload> {
  /** A secret as the source shows it, from which the key is parsed. */
  secret: ListElement<Buffer>;
  /** The headers that are read, and their descriptions. None of them may be repeated. */
  headers: Record<string, string>;
  /** Reads the signature from the headers; throws if there is none. */
  readClaim(headers: IncomingHttpHeaders): Claim;
  /** The event's id and type. An event without an id is identified by its bytes. */
  identify(payload: Partial<Payload>, headers: IncomingHttpHeaders): { id?: unknown; type?: unknown };
  /** The immediate answer to a message that is not an event. */
  answer?(payload: Partial<Payload>): object | undefined;
}

/** The signature of a body, before it is checked. */
export interface Claim {
  /** The signed text before the body. */
  prefix: string;
  /** One of them must match: a source that replaces its secret signs with both. */
  signatures: Buffer[];
  /** When it was signed, in seconds since 1970, if the scheme has a time. */
  signedAt?: number;
}

/** An event that is passed to a handler. */
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
  /** Aborted when the handler has timed out: another attempt may then run at the same time. */
  signal: AbortSignal;
}
