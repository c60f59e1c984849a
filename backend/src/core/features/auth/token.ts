import { hash } from "node:crypto";

/** A token, and the name it has in `API_TOKENS`. */
export interface Caller {
  name: string | undefined;
  digest: Buffer;
}

/** The header that a token comes in. */
export const tokenHeader = "Authorization";

/** A token of `API_TOKENS`, spelled as in RFC 6750, after its name if it has one. What is kept of it is its digest. */
export const token = {
  what: "tokens of at least 32 characters (letters, digits, -._~+/, and = at the end), each alone or as name:token",
  read(one: string): Caller | undefined {
    const [, name, secret] = /^(?:([\w.-]{1,64}):)?((?=.{32})[\w.~+/-]+=*)$/.exec(one) ?? [];
    return secret === undefined ? undefined : { name, digest: digest(secret) };
  },
};

export function digest(token: string): Buffer {
  return hash("sha256", token, "buffer");
}
