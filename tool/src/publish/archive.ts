import { closeSync, openSync, readFileSync, readSync, statSync } from "node:fs";
import { gunzipSync, inflateRawSync } from "node:zlib";

/** More is not unpacked of one file, however much it would become. */
const mostBytes = 2 ** 27;
/** Archives in archives. */
const mostDepth = 3;

const gzip = Buffer.from([0x1f, 0x8b, 8]);
const zip = Buffer.from("PK\x03\x04");
const tarBlock = 512;

/** Whether a file is an archive that can be searched, by its first bytes: gzip, zip (and so jar), or tar. */
export function isArchive(path: string): boolean {
  const head = Buffer.alloc(tarBlock);
  const file = openSync(path, "r");
  readSync(file, head);
  closeSync(file);
  const isTar = head.toString("latin1", 257, 262) === "ustar";
  return isTar || head.subarray(0, 3).equals(gzip) || head.subarray(0, 4).equals(zip);
}

/** What is compressed in an archive, each as one piece; undefined if that is too much. */
export function unpack(path: string): Buffer[] | undefined {
  let left = mostBytes;
  const unpackAll = (bytes: Buffer, depth: number): Buffer[] =>
    [...findZipped(bytes), ...findGzipped(bytes)].flatMap((inflate) => {
      const content = inflate(Math.max(left, 1));
      if (content === undefined) return [];
      left -= content.length;
      return [content, ...(depth < mostDepth ? unpackAll(content, depth + 1) : [])];
    });
  try {
    return statSync(path).size > mostBytes ? undefined : unpackAll(readFileSync(path), 1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return undefined;
    throw error;
  }
}

type Inflate = (most: number) => Buffer | undefined;

/** Not by the list at its end, which may leave files out. Stored files are found without this. */
function* findZipped(bytes: Buffer): Generator<Inflate> {
  for (let at = bytes.indexOf(zip); at >= 0 && at + 30 < bytes.length; at = bytes.indexOf(zip, at + 1)) {
    const start = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    if (bytes.readUInt16LE(at + 8) === 8)
      yield (maxOutputLength) => tryToInflate(() => inflateRawSync(bytes.subarray(start), { maxOutputLength }));
  }
}

/** At the beginning of the bytes, or of a file in a tar. */
function* findGzipped(bytes: Buffer): Generator<Inflate> {
  for (let at = bytes.indexOf(gzip); at >= 0; at = bytes.indexOf(gzip, at + 1))
    if (at % tarBlock === 0)
      yield (maxOutputLength) => tryToInflate(() => gunzipSync(bytes.subarray(at), { maxOutputLength }));
}

/** What looks like an archive and is none has nothing in it. */
function tryToInflate(inflate: () => Buffer): Buffer | undefined {
  try {
    return inflate();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw error;
    return undefined;
  }
}
