import { decodePart, findPasswords } from "./credentials.ts";
import type { Secrets } from "./secrets.ts";
import { squeeze, type View } from "./views.ts";

/** One way in which a secret may be written in a file. */
export interface Form {
  /** What is reported when it is found; never the value. */
  what: string;
  text: string | RegExp;
  /** How the file is read to find it. */
  view: View;
}

/** All ways in which the values of secrets may be written in a file. */
export function listForms(secrets: Secrets): Form[] {
  return Object.entries(secrets).flatMap(([name, value]) => {
    const whole = value.trim();
    // The path of an SQLite file is not a secret, and is likely to be in the source as well.
    if (whole.startsWith("file:")) return [];
    const parts = [...new Set(listParts(whole))].filter((part) => part !== whole);
    return [
      ...listTextForms(name, `the value of ${name}`, whole),
      ...parts.flatMap((part) => listTextForms(name, `a part of the value of ${name}`, part)),
    ];
  });
}

/** One of a list, the lines of a key, the password in a URL. */
function listParts(value: string): string[] {
  const lines = value.split(/\s+/).filter((line) => /^[\w+/=-]{32,}$/.test(line));
  const list = /["{}\n]/.test(value) ? [] : value.split(",").map((one) => one.trim());
  const passwords = list.flatMap(findPasswords);
  return [...lines, ...list, ...passwords, ...passwords.map(decodePart)].filter((part) => part !== "");
}

function listTextForms(name: string, what: string, text: string): Form[] {
  if (text === "") return [];
  const plain = [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)];
  const little = Buffer.from(text, "utf16le");
  const written = new Set(
    [...plain.map((one) => Buffer.from(one)), little, Buffer.from(little).swap16()].map(toBareText),
  );
  const itself = toBareText(Buffer.from(text));
  const bytes = Buffer.from(text);
  const createForm = (view: View) => (text: string | RegExp) => ({ what, text, view });
  const toPattern = (one: string) => (isDistinctive(text) ? one : matchAssignment(name, one));
  return [
    ...[...written].map(toPattern).map(createForm("plain")),
    createForm("unescaped")(toPattern(itself)),
    ...(text.length < 8
      ? []
      : encodeBase64(bytes).flatMap((one) => [createForm("joined")(one), ...listSqueezedForms(createForm, one)])),
    ...(text.length < 8 ? [] : [createForm("hexadecimal")(bytes.toString("hex"))]),
    ...(isDistinctive(text) ? listSqueezedForms(createForm, itself) : []),
  ];
}

/** Only if enough is left of it. */
function listSqueezedForms(createForm: (view: View) => (text: string) => Form, text: string): Form[] {
  const left = squeeze(text);
  if (left.length < 12 || !isDistinctive(left)) return [];
  return (["squeezed", "unescapedAndSqueezed"] as const).map((view) => createForm(view)(left));
}

const toBareText = (bytes: Buffer) => bytes.toString("latin1").replaceAll("\0", "");

/** Whether a text is unlikely to be in a file by chance. */
const isDistinctive = (text: string) => text.length >= 8 && !/^([a-z]{0,15}|\d{0,11})$/i.test(text);

/** A short value, or a word, counts only where it is assigned to the name of a secret. */
function matchAssignment(name: string, text: string): RegExp {
  const names = `(?:${name}|password|passwd|passphrase|secret|token|credential|api_?key)s?`;
  const before = `${names}["'\`\\]]*\\s*[:=]+>?\\s*["'\`]?|(?:env|arg)\\s+${name}\\s+|://[^\\s/@:]*:`;
  const literal = text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
  return new RegExp(`(?:${before})${literal}(?=["'\`\\s,;&@)}\\]]|$)`, "i");
}

/** Base64 of bytes anywhere in a longer input: only the characters that depend on these bytes alone. */
function encodeBase64(bytes: Buffer): string[] {
  const standard = [0, 1, 2].map((before) => {
    const all = Buffer.concat([Buffer.alloc(before), bytes]);
    return all.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((all.length * 8) / 6));
  });
  return [...new Set([...standard, ...standard.map((one) => one.replaceAll("+", "-").replaceAll("/", "_"))])];
}
