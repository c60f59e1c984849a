import type { IncomingMessage } from "node:http";
import { HttpFault } from "./http.ts";

/** Counts requests of each address: so many a minute, all of them at once if need be. */
export function createRateLimit(perMinute: number, now = () => performance.now()) {
  const buckets = new Map<string, { left: number; at: number }>();
  return (address: string): void => {
    const time = now();
    const known = buckets.get(address);
    const refilled = known ? known.left + ((time - known.at) * perMinute) / 60_000 : perMinute;
    const left = Math.min(perMinute, refilled) - 1;
    buckets.delete(address);
    if (buckets.size >= most) buckets.delete(buckets.keys().next().value as string);
    buckets.set(address, { left: Math.max(left, -1), at: time });
    if (left >= 0) return;
    const seconds = Math.max(1, Math.ceil((-left * 60) / perMinute));
    const detail = `This address sent more than ${perMinute} requests in a minute. Try again in ${seconds} s.`;
    throw new HttpFault({ status: 429, code: "too_many_requests", detail }, { "Retry-After": String(seconds) });
  };
}

/** Addresses that are remembered; the one that was seen least recently is forgotten. */
const most = 10_000;

/** The client's address: a proxy on a private network, as published containers have one, adds it as the last one. */
export function findAddress({ socket, headers }: IncomingMessage): string {
  const peer = socket.remoteAddress ?? "";
  const forwarded = String(headers["x-forwarded-for"] ?? "")
    .split(",")
    .at(-1)
    ?.trim();
  return forwarded && isPrivate(peer) ? forwarded.slice(0, 64) : peer;
}

const isPrivate = (address: string) =>
  /^(::ffff:)?(10\.|127\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.)|^::1$|^f[cd]/i.test(address);
