const LF = 0x0a;
const CR = 0x0d;

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
  private rest: Buffer = Buffer.alloc(0);

  push(chunk: Buffer): Buffer[] {
    // A blank line may begin in the last three bytes of what was left over.
    let searchFrom = Math.max(0, this.rest.length - 3);
    let bytes = this.rest.length === 0 ? chunk : Buffer.concat([this.rest, chunk]);
    const events: Buffer[] = [];
    for (let end = endOfEvent(bytes, searchFrom); end !== -1; end = endOfEvent(bytes, searchFrom)) {
      events.push(bytes.subarray(0, end));
      bytes = bytes.subarray(end);
      searchFrom = 0;
    }
    this.rest = bytes;
    return events;
  }

  /** What stands behind the last whole event. */
  flush(): Buffer {
    const { rest } = this;
    this.rest = Buffer.alloc(0);
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
