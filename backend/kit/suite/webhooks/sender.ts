/** How a source signs a message: written from the source's documentation, not from the backend. */
export interface Sender {
  /** The environment variable that holds the secrets. */
  variable: string;
  /** Different, visibly fake secrets in the source's format. */
  fakes: [string, string, string];
  /** A new message each time. */
  sample(): Message;
  /** The headers that prove who sent the bytes, at a time in seconds since 1970. */
  sign(message: Message, secret: string, seconds: number): Headers;
  /** Headers with signatures for several secrets, if the scheme allows more than one. */
  signWithAll?(message: Message, secrets: string[], seconds: number): Headers;
  /** The verification request that it sends before events, and the answer that it expects. */
  question?(): Message & { answer: object };
  /** Whether the scheme has a time. */
  isTimed: boolean;
  /** Signed headers that are malformed, each in another way. */
  misspelled(signed: Headers): Headers[];
  /** Messages that the source, or its library, has published with their signatures. */
  published: { secret: string; seconds: number; message: Message; headers: Headers }[];
}

export type Headers = Record<string, string>;

/** A body, and the headers that name the event. */
export interface Message {
  headers: Headers;
  body: string;
}

/** The headers without some of them. */
export function without(headers: Headers, ...names: string[]): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
