/**
 * Ways to read a text in which a secret is not written as it is. Texts are bytes as `latin1`, without NULs, so that UTF-16
 * reads like any other text.
 */
export const views = {
  plain: (text: string) => text,
  /** Escapes of JSON, JavaScript, C, URLs and HTML. */
  unescaped: (text: string) => text.replaceAll(escapes, decodeRun),
  /** Encoded text may have line breaks. */
  joined: (text: string) => text.replaceAll(/\s+/g, ""),
  /** Letters and digits only: in any language, a value may be folded, quoted, or put together from pieces. */
  squeezed: (text: string) => squeeze(text),
  unescapedAndSqueezed: (text: string) => squeeze(views.unescaped(text)),
  hexadecimal: (text: string) => text.toLowerCase().replaceAll(/0x|\\x|[^0-9a-f]+/g, ""),
};

export type View = keyof typeof views;

export const squeeze = (text: string) => text.replaceAll(/\\[nrt]|[^0-9A-Za-z\x80-\xff]+/g, "");

/** The index in a text of what was found at `index` in a view of it. */
export function findOrigin(view: View, text: string, index: number): number {
  if (view === "plain") return index;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (views[view](text.slice(0, middle)).length > index) high = middle;
    else low = middle + 1;
  }
  return Math.max(0, low - 1);
}

const escapes =
  /(?:\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\})+|(?:\\x[0-9a-f]{2})+|(?:\\[0-3][0-7]{2})+|(?:%[0-9a-f]{2})+|(?:&#(?:\d{1,7}|x[0-9a-f]{1,6});)+/gi;

/** Some of these stand for characters, the others for bytes. */
function decodeRun(run: string): string {
  const isOctal = /^\\[0-3]/.test(run);
  const isBytes = isOctal || /^(%|\\x)/i.test(run);
  const codes = [...run.matchAll(/&#(\d+);|([0-9a-f]+)/gi)].map(([, decimal, digits = ""]) =>
    decimal === undefined ? Number.parseInt(digits, isOctal ? 8 : 16) : Number(decimal),
  );
  if (isBytes) return Buffer.from(codes).toString("latin1");
  if (codes.some((code) => code > 0x10_ff_ff)) return run;
  return Buffer.from(codes.map((code) => String.fromCodePoint(code)).join("")).toString("latin1");
}
