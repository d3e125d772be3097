import type { ParsedCall } from './tool-dialect';

interface GroupForm {
  readonly open: string;
  readonly separator: string;
  readonly close: string;
  readonly readCall: (head: string, rest: string) => ParsedCall | null;
}

/** Reads a group of calls, each in marks of its own; null unless they make up the whole group. */
export const readGroup = (body: string, { open, separator, close, readCall }: GroupForm): ParsedCall[] | null => {
  const calls: ParsedCall[] = [];
  let rest = body.trim();
  while (rest !== '') {
    const [middle, end] = [rest.indexOf(separator), rest.indexOf(close)];
    if (!rest.startsWith(open) || middle === -1 || end < middle) return null;
    const call = readCall(rest.slice(open.length, middle), rest.slice(middle + separator.length, end));
    if (call === null) return null;
    calls.push(call);
    rest = rest.slice(end + close.length).trimStart();
  }
  return calls.length > 0 ? calls : null;
};
