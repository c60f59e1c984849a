/** A message of a source, and how it signs one: written from what the source publishes, not from the backend. */
export interface Sender {
  /** The environment variable that holds the secrets. */
  variable: string;
  /** Visibly fake ones, as the source would make them, each another. */
  fakes: [string, string, string];
  /** A message of its own each time. */
  sample(): Message;
  /** The headers that prove who sent the bytes, at a time in seconds since 1970. */
  sign(message: Message, secret: string, seconds: number): Headers;
  /** Headers that prove the same with several secrets; nothing where the scheme knows one signature alone. */
  signWithAll?(message: Message, secrets: string[], seconds: number): Headers;
  /** What it asks before it sends events, and what it wants to hear. */
  question?(): Message & { answer: object };
  /** Whether the scheme has a time. */
  isTimed: boolean;
  /** Signed headers that are spelled wrongly, each in another way. */
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
