import assert from "node:assert/strict";
import { gunzipSync, inflateRawSync } from "node:zlib";

/** The files of an archive, read independently of the code that makes it. */
export function readTgz(bytes: Buffer): Map<string, string> {
  const tar = gunzipSync(bytes);
  const files = new Map<string, string>();
  for (let at = 0; tar[at] !== 0; ) {
    const text = (from: number, length: number) =>
      tar.toString("utf8", at + from, at + from + length).replace(/\0.*$/s, "");
    const folder = text(345, 155);
    const size = Number.parseInt(text(124, 12), 8);
    assert.equal(text(136, 12), "00000000000", "the time is fixed");
    files.set(
      folder === "" ? text(0, 100) : `${folder}/${text(0, 100)}`,
      tar.toString("utf8", at + 512, at + 512 + size),
    );
    at += 512 + Math.ceil(size / 512) * 512;
  }
  return files;
}

export function readZip(bytes: Buffer): Map<string, string> {
  const end = bytes.lastIndexOf("PK\x05\x06");
  const count = bytes.readUInt16LE(end + 10);
  const files = new Map<string, string>();
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    const [packed, size, length] = [
      bytes.readUInt32LE(at + 20),
      bytes.readUInt32LE(at + 24),
      bytes.readUInt16LE(at + 28),
    ];
    const [offset, name] = [bytes.readUInt32LE(at + 42), bytes.toString("utf8", at + 46, at + 46 + length)];
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28);
    const content = inflateRawSync(bytes.subarray(start, start + packed));
    assert.equal(content.length, size);
    files.set(name, content.toString());
    at += 46 + length;
  }
  return files;
}
