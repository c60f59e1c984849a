import { constants, crc32, deflateRawSync, gzipSync } from "node:zlib";
import type { Files } from "./slice/slice.ts";

/** A project as a file for `tar xz`: always the same bytes, with its files in order and without times. */
export function packTgz(files: Files): Buffer {
  const blocks = sortFiles(files).flatMap(([path, content]) => [createTarHeader(path, content.length), pad(content)]);
  const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * blockSize)]), { level: constants.Z_BEST_SPEED });
  // The system that it was made on.
  packed[9] = 255;
  return packed;
}

/** The same as a file for `unzip`. */
export function packZip(files: Files): Buffer {
  const [parts, directory]: [Buffer[], Buffer[]] = [[], []];
  let offset = 0;
  for (const [path, content] of sortFiles(files)) {
    const name = Buffer.from(path);
    const packed = deflateRawSync(content, { level: constants.Z_BEST_SPEED });
    const shared = createZipFields(content, packed, name);
    parts.push(Buffer.from("PK\x03\x04\x14\0"), shared, name, packed);
    directory.push(createDirectoryEntry(shared, offset), name);
    offset += 6 + shared.length + name.length + packed.length;
  }
  const listed = Buffer.concat(directory);
  return Buffer.concat([...parts, listed, createZipEnd(files.size, listed.length, offset)]);
}

/** By the bytes of their paths, so that the order does not depend on a language. */
function sortFiles(files: Files): [path: string, content: Buffer][] {
  return [...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, text]) => [path, Buffer.from(text)]);
}

const blockSize = 512;

const pad = (content: Buffer) =>
  Buffer.concat([content, Buffer.alloc((blockSize - (content.length % blockSize)) % blockSize)]);

/** https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html, "ustar Interchange Format" */
function createTarHeader(path: string, size: number): Buffer {
  const header = Buffer.alloc(blockSize);
  const [folder, name] = splitPath(path);
  header.write(name, 0);
  header.write("0000644\0", 100);
  header.write("0000000\0", 108);
  header.write("0000000\0", 116);
  header.write(`${size.toString(8).padStart(11, "0")}\0`, 124);
  header.write("00000000000\0", 136);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  header.write(folder, 345);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** A name has at most 100 bytes; a longer path is split at a slash. */
function splitPath(path: string): [folder: string, name: string] {
  if (Buffer.byteLength(path) <= 100) return ["", path];
  const at = path.indexOf("/", path.length - 101);
  if (at < 0 || at > 155) throw new Error(`${path} is too long for an archive`);
  return [path.slice(0, at), path.slice(at + 1)];
}

/** The fields that a file's header and its entry in the directory share: https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
function createZipFields(content: Buffer, packed: Buffer, name: Buffer): Buffer {
  const fields = Buffer.alloc(24);
  // Names are UTF-8; deflated; the first day of 1980, before which there are no times.
  fields.writeUInt16LE(0x0800, 0);
  fields.writeUInt16LE(8, 2);
  fields.writeUInt16LE(0x21, 6);
  fields.writeUInt32LE(crc32(content), 8);
  fields.writeUInt32LE(packed.length, 12);
  fields.writeUInt32LE(content.length, 16);
  fields.writeUInt16LE(name.length, 20);
  return fields;
}

function createDirectoryEntry(shared: Buffer, offset: number): Buffer {
  const rest = Buffer.alloc(14);
  // A regular file of Unix, with mode 644.
  rest.writeUInt32LE(0o100644 * 0x10000, 6);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([Buffer.from("PK\x01\x02\x14\x03\x14\0", "latin1"), shared, rest]);
}

function createZipEnd(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(count, 8);
  end.writeUInt16LE(count, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}
