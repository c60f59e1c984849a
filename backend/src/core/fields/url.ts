import * as v from "valibot";
import { field } from "./field.ts";

/** An address on the web, stored as it was sent. */
export function url() {
  const schema = v.pipe(
    v.string("must be a string"),
    v.maxLength(2048, "must have at most 2048 characters"),
    v.check(isUrl, "must be an http: or https: URL, with other characters than those of RFC 3986 encoded"),
    // The format alone would allow javascript: and others.
    v.metadata({ format: "uri", pattern: "^[Hh][Tt][Tt][Pp][Ss]?://[^/?#]" }),
  );
  return field(schema, { column: "text", plural: "URLs" });
}

const pattern = /^https?:\/\/(?![/?#])(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})+$/i;

/** A URL parser would also accept, and change, text with spaces around it and tabs in it. */
function isUrl(value: string): boolean {
  return pattern.test(value) && URL.canParse(value);
}
