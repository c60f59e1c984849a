import { createHmac, timingSafeEqual } from "node:crypto";
import { Problem } from "../../problem.ts";
import type { Claim } from "./source.ts";

/** How far the clocks may differ, and how long a delivery may take. An older one may be a replay. */
const toleranceSeconds = 300;

/** RFC 9110, section 15.5.2: a 401 has a challenge. */
export function invalidSignature(detail: string): Problem {
  const headers = { "WWW-Authenticate": 'Signature realm="webhooks"' };
  return new Problem(["invalid_signature", 401], detail, { headers });
}

export function expectRecent({ signedAt }: Claim, now = Date.now()): void {
  if (signedAt === undefined || Math.abs(now / 1000 - signedAt) <= toleranceSeconds) return;
  throw invalidSignature(`It was signed more than ${toleranceSeconds} seconds ago, or ahead of this server's clock.`);
}

/** HMAC with SHA-256. All signatures are compared with all keys, so that the time it takes reveals nothing. */
export function expectSigned(body: Buffer, { prefix, signatures }: Claim, keys: Buffer[]): void {
  const expected = keys.map((key) => createHmac("sha256", key).update(prefix).update(body).digest());
  const fitting = expected.flatMap((one) => signatures.filter((signature) => isSame(one, signature)));
  if (fitting.length === 0) throw invalidSignature("The signature does not match this body and this source's secrets.");
}

function isSame(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** A time in whole seconds, from a header. */
export function readSeconds(text: unknown): number | undefined {
  return typeof text === "string" && /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** A SHA-256 from its 64 hexadecimal digits. */
export function readHex(text: string | undefined): Buffer[] {
  return text !== undefined && /^[\da-f]{64}$/i.test(text) ? [Buffer.from(text, "hex")] : [];
}
