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
  const steps = [...pattern.matchAll(tokens)].flatMap(([token], index, all) =>
    toSteps(token, index === all.length - 1, pattern),
  );
  return (path) => follow(steps, path);
}

const special = /[*?[\]\\]/;
const tokens = /\*\*\/?|\\.|\[(?:\\.|[^\]\\])*\]|./gs;

/** A part of a pattern. */
interface Step {
  takes(char: string): boolean;
  /** How many steps further the path goes on after a character. */
  next: number;
  /** The same without a character. */
  skips: number[];
}

const once = (takes: Step["takes"]): Step => ({ takes, next: 1, skips: [] });
const repeat = (takes: Step["takes"]): Step => ({ takes, next: 0, skips: [1] });

const isAny = (char: string) => !"\n\r\u2028\u2029".includes(char);
const isInName = (char: string) => char !== "/";
const isSlash = (char: string) => char === "/";

function toSteps(token: string, isLast: boolean, pattern: string): Step[] {
  if (token.startsWith("**"))
    return isLast ? [repeat(isAny)] : [{ takes: () => false, next: 0, skips: [1, 3] }, repeat(isAny), once(isSlash)];
  if (token === "*") return [repeat(isInName)];
  if (token === "?") return [once(isInName)];
  if (!/^[[\\]/.test(token)) return [once((char) => char === token)];
  const expression = readCharacters(token);
  if (!expression)
    throw new Fault("dockerignore", `.dockerignore has a pattern that cannot be read as Docker reads it: ${pattern}`);
  return [once((char) => expression.test(char))];
}

/** One of several characters, or an escaped one. Of escaped letters, those that stand for characters, as in \d. */
function readCharacters(token: string): RegExp | undefined {
  if (/^\\([a-z\d]|$)/i.test(token) && !/^\\[dswfnrtv]/i.test(token)) return undefined;
  try {
    return new RegExp(`^${token}$`);
  } catch {
    return undefined;
  }
}

/**
 * Whether the steps take the whole path. All ways are followed at once, so that a character is shown to each step once:
 * JavaScript's regular expressions try one way after the other, which may never end.
 */
function follow(steps: Step[], path: string): boolean {
  let reached = skip(steps, [0]);
  for (let at = 0; at < path.length && reached.size > 0; at++) {
    const next: number[] = [];
    for (const index of reached) {
      const step = steps[index];
      if (step?.takes(path.charAt(at))) next.push(index + step.next);
    }
    reached = skip(steps, next);
  }
  return reached.has(steps.length);
}

/** These steps, and those that are reached from them without a character. */
function skip(steps: Step[], from: number[]): Set<number> {
  const reached = new Set(from);
  // A loop also visits what is added to the set.
  for (const index of reached) for (const further of steps[index]?.skips ?? []) reached.add(index + further);
  return reached;
}
