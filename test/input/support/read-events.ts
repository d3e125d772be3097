/** One server-sent event. */
export interface ServerEvent {
  readonly event: string;
  readonly data: string;
}

/** Reads a stream as the standard says: any line end, a BOM at its beginning, comments, an unfinished event left out. */
export const readEvents = (text: string): ServerEvent[] => {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const events: ServerEvent[] = [];
  let event = '';
  let data: string[] = [];
  // What stands behind the last line end is no whole line.
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (data.length > 0) events.push({ event, data: data.join('\n') });
      event = '';
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'event') event = value;
  }
  return events;
};
