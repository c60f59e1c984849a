import { createReadStream, readFileSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { Fault } from "../fault.ts";
import { isKit, isUnchanged } from "../kit.ts";
import { isArchive, unpack } from "./archive.ts";
import { findIgnoreFile, listContextFiles } from "./context.ts";
import { isSecret } from "./credentials.ts";
import { findVariables } from "./dockerfile.ts";
import { type Form, listForms } from "./forms.ts";
import type { Secrets } from "./secrets.ts";
import { findOrigin, type View, views } from "./views.ts";

/** Throws if a file of a build contains a declared secret, or what looks like one. */
export async function refuseSecrets(folder: string, secrets: Secrets): Promise<void> {
  const forms = listForms(secrets);
  const found = searchDockerfile(readFileSync(join(folder, "Dockerfile"), "utf8"), secrets);
  // The Dockerfile ends up in the image's history, even if the context does not include it.
  for (const file of new Set(["Dockerfile", ...listContextFiles(folder, await findIgnoreFile(folder))])) {
    if (isFileOfSecrets(file)) found.push(`${file} (a file of secrets, by its name)`);
    if (!isPublic(folder, file)) found.push(...(await searchFile(folder, file, forms)));
  }
  if (found.length > 0)
    throw new Fault(
      "secret_in_context",
      `These would be built into the image:\n${[...new Set(found)].map((one) => `  ${one}`).join("\n")}\nRemove them, and pass secrets as environment variables declared in dory.json. If one was committed, replace it.`,
    );
}

/** Whether it is a file of Dory that nobody changed. It has many words, and a secret may be one of them. */
function isPublic(folder: string, file: string): boolean {
  return isKit(file) && isUnchanged(readFileSync(join(folder, file), "utf8"));
}

function isFileOfSecrets(file: string): boolean {
  const name = basename(file);
  return /^(\.env|\.netrc$|\.pgpass$|\.git-credentials$)/.test(name) && !/\b(example|sample|template)s?\b/.test(name);
}

/** Values of secret variables in a Dockerfile, and URLs with credentials. */
function searchDockerfile(text: string, secrets: Secrets): string[] {
  const isLiteral = (value: string) => value !== "" && !/^\$(\w+|\{[^}]*\})$/.test(value);
  const variables = findVariables(text)
    .filter(({ name, value }) => isLiteral(value) && (Object.hasOwn(secrets, name) || isSecret(name, value)))
    .map(({ keyword, name, line }) => `Dockerfile:${line} the value of ${name} in ${keyword}`);
  const findLine = createLineFinder(text);
  // Only the end of a scheme is looked at: many beginnings may lead to the same end.
  const urls = [...text.matchAll(/(?:\b(https?)|(?<=[a-z0-9+.-])):\/\/([^\s/@:"'`]*)(?::([^\s/@"'`]*))?@/gi)]
    .filter(([, http, user = "", password]) => isLiteral(password ?? (http && user !== "git" ? user : "")))
    .map(({ index }) => `Dockerfile:${findLine(index)} a URL with credentials`);
  return [...variables, ...urls];
}

/** Longer than any form of a secret, so that none is split between two chunks of a large file. */
const overlap = 65_536;
const chunkSize = 1_048_576;

async function searchFile(folder: string, file: string, forms: Form[]): Promise<string[]> {
  const found = await search(file, readChunks(folder, file), forms);
  const inside = await searchArchive(folder, file, forms);
  return [
    ...found.map(({ what, line }) => `${file}${line === undefined ? "" : `:${line}`} ${what}`),
    ...inside.map((what) => `${file} (in the archive) ${what}`),
  ];
}

async function searchArchive(folder: string, file: string, forms: Form[]): Promise<string[]> {
  const path = join(folder, file);
  if (!isArchive(path)) return [];
  const parts = unpack(path);
  if (!parts) return ["too much to be searched"];
  const found: string[] = [];
  for (const part of parts) found.push(...(await search(file, splitBytes(part), forms)).map(({ what }) => what));
  return found;
}

/** What was found, and in which line; a binary file has no lines. */
type Found = { what: string; line?: number };

/** Reads a file in chunks, without NULs, so that UTF-16 reads like any other text. */
async function search(file: string, chunks: AsyncIterable<Buffer> | Buffer[], forms: Form[]): Promise<Found[]> {
  const found: Found[] = [];
  const reach = Math.max(overlap, ...forms.map(({ text }) => (typeof text === "string" ? text.length * 2 : 0)));
  let [text, line, kind] = ["", 1, "text"];
  for await (const chunk of chunks) {
    kind = detectKind(chunk, kind);
    text += chunk.toString("latin1").replaceAll("\0", "");
    const findLine = createLineFinder(text);
    for (const { what, at } of [...findDeclared(text, forms), ...(await lint(file, text))])
      found.push({ what, ...(kind === "binary" ? {} : { line: line + findLine(at) - 1 }) });
    line += findLine(Math.max(0, text.length - reach)) - 1;
    text = text.slice(-reach);
  }
  return found;
}

/** A file with NULs is binary and has no lines, unless it begins with the byte order mark of UTF-16. */
function detectKind(chunk: Buffer, before: string): string {
  if (before !== "text" || !chunk.includes(0)) return before;
  return ["fffe", "feff"].includes(chunk.toString("hex", 0, 2)) ? "utf-16" : "binary";
}

async function* readChunks(folder: string, file: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(join(folder, file), { highWaterMark: chunkSize });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Fault("context_unreadable", `${file} is built into the image, and cannot be read (${code}).`);
  }
}

const splitBytes = (bytes: Buffer) =>
  Array.from({ length: Math.ceil(bytes.length / chunkSize) }, (_, index) =>
    bytes.subarray(index * chunkSize, (index + 1) * chunkSize),
  );

type Finding = { what: string; at: number };

/** The first place of each secret, in the first view that shows it. */
function findDeclared(text: string, forms: Form[]): Finding[] {
  const read = new Map<View, string>();
  const found = new Map<string, Finding>();
  for (const { what, text: form, view } of forms) {
    if (found.has(what)) continue;
    const seen = read.get(view) ?? views[view](text);
    read.set(view, seen);
    const place = typeof form === "string" ? seen.indexOf(form) : seen.search(form);
    if (place >= 0) found.set(what, { what, at: findOrigin(view, text, place) });
  }
  return [...found.values()];
}

async function lint(file: string, text: string): Promise<Finding[]> {
  const { lintSource } = await import("@secretlint/core");
  const { creator } = await import("@secretlint/secretlint-rule-preset-recommend");
  // A comment in a file must not disable the rules.
  const content = text.replaceAll("secretlint-", "secretlint_");
  const source = { content, filePath: file, ext: extname(file), contentType: "text" as const };
  const rules = [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, options: {} }];
  const options = { config: { rules }, maskSecrets: true, noPhysicFilePath: true };
  const { messages } = await lintSource({ source, options });
  return messages.map(({ range, ruleId }) => ({ what: ruleId.replace(/.*secretlint-rule-/, ""), at: range[0] }));
}

/** Finds the lines of many places in a text. */
function createLineFinder(text: string): (index: number) => number {
  const ends: number[] = [];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) ends.push(at);
  return (index) => {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((ends[middle] as number) < index) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  };
}
