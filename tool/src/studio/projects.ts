import { createHash } from "node:crypto";
import type { Backend } from "../backend.ts";
import { Fault } from "../fault.ts";
import { isKit } from "../kit.ts";
import { filesFor } from "../new/application.ts";
import { packTgz, packZip } from "../new/archive.ts";
import { compareFiles, printDiff } from "../new/compare.ts";
import { digestFiles, type Figures, listEntries, measure } from "../new/figures.ts";
import { type AnyRequest, writeAnyRequest } from "../new/services.ts";
import type { Files } from "../new/slice/slice.ts";
import { version } from "../version.ts";
import type { FileEntry } from "./api.ts";
import { Cache } from "./cache.ts";

/** A project in memory. */
export interface Made {
  request: AnyRequest;
  files: Files;
  digest: string;
  entries: FileEntry[];
  figures: Figures;
}

/** A form of a project that can be downloaded. */
export interface Download {
  bytes: Buffer;
  /** The SHA-256 of the bytes, in base64. */
  hash: string;
}

export const formats = {
  tgz: { type: "application/gzip", pack: ({ files }: Made) => packTgz(files) },
  zip: { type: "application/zip", pack: ({ files }: Made) => packZip(files) },
  json: { type: "application/json", pack: (made: Made) => Buffer.from(JSON.stringify(toAnswer(made))) },
} as const;

export type Format = keyof typeof formats;

const toAnswer = ({ request, digest, files }: Made) => ({
  request: writeAnyRequest(request),
  version,
  digest,
  files: [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => ({ path, text })),
});

export type Projects = ReturnType<typeof createProjects>;

/** Makes projects in memory, and remembers the last ones. */
export function createProjects(loadBackend: () => Backend) {
  let loaded: Backend | undefined;
  const findBackend = () => {
    loaded ??= loadBackend();
    return loaded;
  };
  const made = new Cache<Made>(30e6);
  const downloads = new Cache<Download>(8e6);

  const make = (request: AnyRequest): Made =>
    made.find(JSON.stringify(request), () => makeProject(request, findBackend()), measureMade);

  return {
    make,
    pack: (project: Made, format: Format): Download =>
      downloads.find(
        `${project.digest} ${format} ${JSON.stringify(project.request)}`,
        () => toDownload(formats[format].pack(project)),
        ({ bytes }) => bytes.length,
      ),
    compare: (before: Made, after: Made): Download =>
      downloads.find(
        `${before.digest} diff ${after.digest}`,
        () => toDownload(Buffer.from(printDiff(compareFiles(before.files, after.files)))),
        ({ bytes }) => bytes.length,
      ),
  };
}

function makeProject(request: AnyRequest, backend: Backend): Made {
  const files = filesFor(request, backend);
  const entries = listEntries(files);
  return { request, files, digest: digestFiles(files), entries, figures: measure(files, entries) };
}

/** The tools are one text that all projects share. */
function measureMade({ entries }: Made): number {
  return entries.reduce((total, { path, size }) => total + (isKit(path) ? 0 : size) + 200, 0);
}

function toDownload(bytes: Buffer): Download {
  return { bytes, hash: createHash("sha256").update(bytes).digest("base64") };
}

export function readFormat(name: string): Format {
  if (Object.hasOwn(formats, name)) return name as Format;
  throw new Fault(
    "unknown_format",
    `There is no format "${name}". Choose from: ${Object.keys(formats).join(", ")}, diff.`,
  );
}
