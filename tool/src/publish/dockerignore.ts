import { posix } from "node:path";
import { Fault } from "../fault.ts";

interface Pattern {
  isException: boolean;
  matches(path: string): boolean;
}

/** Reads the text of a `.dockerignore` as Docker does; returns whether a build leaves a path out. */
export function readDockerignore(text: string): (path: string) => boolean {
  const patterns = text
    .replace(/^\ufeff/, "")
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .flatMap((line) => readPattern(line.trim()));
  const known = new Map<string, Result>();
  const findResult = (path: string): Result => {
    const found =
      known.get(path) ?? match(patterns, path, path.includes("/") ? findResult(posix.dirname(path)) : undefined);
    known.set(path, found);
    return found;
  };
  return (path) => findResult(path).isIgnored;
}

interface Result {
  isIgnored: boolean;
  /** For each pattern, whether it matches; for what is in a folder it then matches too. */
  matched: boolean[];
}

/** The order counts: a pattern that would change nothing is not tried, so what is in the folder does not inherit it. */
function match(patterns: Pattern[], path: string, folder: Result | undefined): Result {
  let isIgnored = false;
  const matched = patterns.map(({ isException, matches }, index) => {
    const isMatch = folder?.matched[index] || (isException === isIgnored && matches(path));
    if (isMatch) isIgnored = !isException;
    return isMatch;
  });
  return { isIgnored, matched };
}

function readPattern(line: string): Pattern[] {
  const isException = line.startsWith("!");
  const text = (isException ? line.slice(1) : line).trim();
  if (text === "") return [];
  const clean = posix.normalize(text).replace(/(?<=.)\/$/, "");
  return [{ isException, matches: createMatcher(clean.replace(/^\/(?=.)/, "")) }];
}

/** Docker compares text where there is nothing but `**` at one end, and otherwise uses a regular expression. */
function createMatcher(pattern: string): Pattern["matches"] {
  const suffix = pattern.startsWith("**") ? pattern.slice(2) : undefined;
  if (suffix !== undefined && !special.test(suffix))
    return (path) => path.endsWith(suffix) || (suffix.startsWith("/") && path === suffix.slice(1));
  try {
    const expression = new RegExp(`^${pattern.replaceAll(tokens, translate)}$`);
    return (path) => expression.test(path);
  } catch {
    throw new Fault("dockerignore", `.dockerignore has a pattern that Docker cannot read: ${pattern}`);
  }
}

const special = /[*?[\]\\]/;
const tokens = /\*\*\/?$|\*\*\/?|\*|\?|\\.|[.+()|{}$^]|\[(?:\\.|[^\]\\])*\]/g;

function translate(token: string, at: number, pattern: string): string {
  if (token.startsWith("**")) return at + token.length === pattern.length ? ".*" : "(.*/)?";
  if (token === "*") return "[^/]*";
  if (token === "?") return "[^/]";
  return token.startsWith("\\") || token.startsWith("[") ? token : `\\${token}`;
}
