import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { countHeader, expectJson, parseJson, readBody } from "../../http/request.ts";
import { expectRecent, expectSigned, invalidSignature } from "./signature.ts";
import type { WebhookSource } from "./source.ts";

/** A signed request of a source. */
export interface Delivery {
  id: string;
  type: string;
  body: Buffer;
  /** The immediate answer to a delivery that is not an event. */
  answer: object | undefined;
}

/** Reads a delivery. The headers are checked first: a body that they rule out is never requested. */
export async function readDelivery(
  source: WebhookSource<object>,
  req: IncomingMessage,
  keys: Buffer[],
): Promise<Delivery> {
  for (const name in source.headers)
    if (countHeader(req, name.toLowerCase()) > 1) throw invalidSignature(`Send ${name} once.`);
  const claim = source.readClaim(req.headers);
  expectRecent(claim);
  expectJson(req);
  const body = await readBody(req);
  expectSigned(body, claim, keys);
  // `identify` can then read members of any JSON value, also of a number or null.
  const payload = Object(parseJson(body));
  const { id, type } = source.identify(payload, req.headers);
  const isId = typeof id === "string" && /^[!-~]{1,255}$/.test(id);
  const isType = typeof type === "string" && /^[ -~]{1,255}$/.test(type);
  return {
    id: isId ? id : hash("sha256", body),
    type: isType ? type : "",
    body,
    answer: source.answer?.(payload),
  };
}
