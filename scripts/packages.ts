import lt from "semver/functions/lt.js";
import { isForProjects } from "../tool/src/backend.ts";
import { Fault } from "../tool/src/fault.ts";

/** The folders of the published packages, the tool first: the other depends on it. */
export const packages = { tool: "dory", create: "create-dory" } as const;

export interface Manifest {
  name: string;
  version: string;
  license?: string;
  keywords?: string[];
  homepage?: string;
  bugs?: string;
  repository?: { type: string; url: string; directory: string };
  dependencies?: Record<string, string>;
}

export interface Lock {
  packages: Record<string, { version?: string; dependencies?: Record<string, string> }>;
}

/** The version to release: the current one, if it was never released, or a higher one. */
export function readVersion(text: string, current: string): string {
  if (!/^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}$/.test(text))
    throw new Fault("version", `"${text}" is not a version. Use it like this: npm run release -- 1.2.0`);
  if (lt(text, current)) throw new Fault("version", `${text} is lower than ${current}, the current version.`);
  return text;
}

/** Refuses a changelog without an entry for a version. */
export function requireEntry(changelog: string, version: string, today: string): void {
  const sections = changelog.split(/^## /m).slice(1);
  const [title = "", ...text] = sections.find((section) => section.startsWith(`[${version}]`))?.split("\n") ?? [];
  if (!/^\[\S+\] - \d{4}-\d\d-\d\d$/.test(title))
    throw new Fault(
      "changelog",
      `CHANGELOG.md needs a section "## [${version}] - ${today}", with what is under Unreleased.`,
    );
  if (!text.some((line) => line.startsWith("- ")))
    throw new Fault("changelog", `CHANGELOG.md lists nothing under [${version}].`);
}

/** A package's manifest with another version, also in its dependency on our other package. */
export function withVersion<T extends { version?: string; dependencies?: Record<string, string> }>(
  manifest: T,
  version: string,
): T {
  const { dependencies = {} } = manifest;
  return { ...manifest, version, ...("dory" in dependencies && { dependencies: { ...dependencies, dory: version } }) };
}

export function withLockVersion(lock: Lock, version: string): Lock {
  const own = Object.keys(packages).map((folder) => [folder, withVersion(lock.packages[folder] ?? {}, version)]);
  return { ...lock, packages: { ...lock.packages, ...Object.fromEntries(own) } };
}

/** The differences from the repository's own manifest, which is the only place that defines `repository`. */
export function findManifestFaults(
  folder: keyof typeof packages,
  manifest: Manifest,
  root: { repository: string; license: string },
): string[] {
  const url = root.repository.replace(/^github:/, "https://github.com/");
  const expected: Partial<Manifest> = {
    name: packages[folder],
    license: root.license,
    homepage: `${url}#readme`,
    bugs: `${url}/issues`,
    repository: { type: "git", url: `git+${url}.git`, directory: folder },
  };
  const wrong = Object.entries(expected).filter(
    ([name, value]) => JSON.stringify(manifest[name as keyof Manifest]) !== JSON.stringify(value),
  );
  return [
    ...wrong.map(([name, value]) => `${folder}/package.json: "${name}" should be ${JSON.stringify(value)}`),
    ...(manifest.keywords?.length ? [] : [`${folder}/package.json: there are no keywords`]),
  ];
}

/** What a package must contain, and nothing else; a pattern means at least one file. */
const contents: Record<keyof typeof packages, (string | RegExp)[]> = {
  tool: [
    "LICENSE",
    "README.md",
    "bin/dory.js",
    "dist/backend.json",
    "dist/check-worker.js",
    "dist/dory.js",
    "dist/kit.js",
    "dist/licenses.txt",
    "dist/studio/index.html",
    "dist/suite.js",
    /^dist\/[\w-]+-[A-Z\d]{8}\.js$/,
    /^dist\/studio\/main-[A-Z\d]{8}\.js$/,
    /^dist\/studio\/main-[A-Z\d]{8}\.css$/,
    /^dist\/studio\/icon-[A-Z\d]{8}\.svg$/,
  ],
  create: ["LICENSE", "README.md", "bin/create-dory.js"],
};

/** What is missing in a package, and what does not belong in it. */
export function findContentFaults(folder: keyof typeof packages, paths: string[]): string[] {
  const expected = ["package.json", ...contents[folder]];
  const isMeant = (path: string) => (one: string | RegExp) => (typeof one === "string" ? one === path : one.test(path));
  const name = packages[folder];
  return [
    ...expected.filter((one) => !paths.some((path) => isMeant(path)(one))).map((one) => `${name} lacks ${one}`),
    ...paths.filter((path) => !expected.some(isMeant(path))).map((path) => `${name} should not contain ${path}`),
  ];
}

/** The files of the packed backend that no project needs. */
export function findBackendFaults(paths: string[]): string[] {
  const others = paths.filter((path) => !isForProjects(path));
  return others.map((path) => `dory should not contain the backend's ${path}`);
}
