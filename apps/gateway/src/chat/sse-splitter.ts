const LF = 0x0a;
const CR = 0x0d;

const NOTHING: Buffer = Buffer.alloc(0);

/** Bytes of a blank line that are not yet one. */
const LONGEST_START = 2;

/** Index behind the blank line that ends the first event, or -1 while there is none. */
const endOfEvent = (bytes: Buffer, from: number): number => {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1];
    if (next === LF) return at + 2;
    if (next === CR && bytes[at + 2] === LF) return at + 3;
  }
  return -1;
};

/**
 * Cuts a byte stream into server-sent events, each with the blank line that ends it. The pieces together are the stream,
 * byte for byte, wherever the network cut it.
 */
export class SseSplitter {
  /** The beginning of an event. Put together once its end has come: a long one comes in thousands of pieces. */
  private pieces: Buffer[] = [];
  /** The last bytes of the pieces, in which a blank line may begin. */
  private tail: Buffer = NOTHING;

  push(chunk: Buffer): Buffer[] {
    const seam = this.tail.length === 0 ? chunk : Buffer.concat([this.tail, chunk]);
    const firstEnd = endOfEvent(seam, 0);
    if (firstEnd === -1) {
      this.pieces.push(chunk);
      this.tail = seam.subarray(-LONGEST_START);
      return [];
    }
    let bytes = this.pieces.length === 0 ? chunk : Buffer.concat([...this.pieces, chunk]);
    const events: Buffer[] = [];
    for (let end = bytes.length - seam.length + firstEnd; end !== -1; end = endOfEvent(bytes, 0)) {
      events.push(bytes.subarray(0, end));
      bytes = bytes.subarray(end);
    }
    this.pieces = bytes.length === 0 ? [] : [bytes];
    this.tail = bytes.subarray(-LONGEST_START);
    return events;
  }

  /** What stands behind the last whole event. */
  flush(): Buffer {
    const rest = Buffer.concat(this.pieces);
    this.pieces = [];
    this.tail = NOTHING;
    return rest;
  }
}

const BOM = '\uFEFF';

const linesOf = (event: Buffer): string[] => {
  const text = event.toString('utf8');
  return (text.startsWith(BOM) ? text.slice(1) : text).split(/\r?\n/);
};

const isData = (line: string): boolean => line.startsWith('data:');

const PREFIX = Buffer.from('data: ');

/** Whether an event is one line of data and nothing else, as engines send thousands of: `data: …` and the blank line. */
const isPlain = (event: Buffer): boolean =>
  event.indexOf(LF) === event.length - 2 && event.subarray(0, PREFIX.length).equals(PREFIX);

/** The data of one event: its `data:` lines joined by line feeds, or null for comments and events without data. */
export const dataOf = (event: Buffer): string | null => {
  if (isPlain(event)) return event.toString('utf8', PREFIX.length, event.length - 2);
  const data = linesOf(event).filter(isData);
  return data.length === 0 ? null : data.map((line) => line.slice(5).replace(/^ /, '')).join('\n');
};

/** The event with other data, on one line; its other fields stay. */
export const withData = (event: Buffer, data: string): Buffer => {
  if (isPlain(event)) return Buffer.from(`data: ${data}\n\n`);
  const lines = linesOf(event).filter((line) => line !== '');
  const place = lines.findIndex(isData);
  const kept = lines
    .map((line, i) => (i === place ? `data: ${data}` : line))
    .filter((line, i) => i === place || !isData(line));
  return Buffer.from(`${kept.join('\n')}\n\n`);
};
