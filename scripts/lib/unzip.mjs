import { inflateRawSync } from 'node:zlib';

const END = 0x06054b50;
const STORED = 0;
const DEFLATED = 8;

/** The content of one file in a ZIP archive, a buffer of less than 4 GB; null if it is not there. */
export function unzip(archive, name) {
  const end = archive.lastIndexOf(Buffer.from(new Uint32Array([END]).buffer));
  if (end < 0) throw new Error('this is no ZIP archive');
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const found = archive.toString('utf8', at + 46, at + 46 + nameLength);
    if (found === name) return contentAt(archive, at);
    at += 46 + nameLength + extraLength + commentLength;
  }
  return null;
}

/** What the entry of the directory at `entry` stands for. */
function contentAt(archive, entry) {
  const method = archive.readUInt16LE(entry + 10);
  const size = archive.readUInt32LE(entry + 20);
  const header = archive.readUInt32LE(entry + 42);
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const packed = archive.subarray(start, start + size);
  if (method === STORED) return packed;
  if (method === DEFLATED) return inflateRawSync(packed);
  throw new Error(`the ZIP archive is packed by method ${method}, which is not known here`);
}
