import { parseJsonCall } from './json-call';
import { objectEnd } from './json-members';
import type { ParsedCall, ToolDialect } from './tool-dialect';

/** Objects with semicolons between them; null unless each is a call. */
const splitCalls = (body: string): ParsedCall[] | null => {
  const calls: ParsedCall[] = [];
  let rest = body.trim();
  while (rest !== '') {
    const end = objectEnd(rest, 0);
    const call = end === -1 ? null : parseJsonCall(rest.slice(0, end));
    if (call === null) return null;
    calls.push(call);
    rest = rest.slice(end).replace(/^\s*;?\s*/, '');
  }
  return calls.length > 0 ? calls : null;
};

/** Llama 3: `<|python_tag|>{"name": …, "parameters": {…}}`, several joined by semicolons, often without the mark. */
export const llama3Json: ToolDialect = {
  open: '<|python_tag|>',
  close: null,
  bare: true,
  parse: (body, schemas) => {
    const calls = splitCalls(body);
    return calls?.every(({ name }) => schemas.has(name)) ? calls : null;
  },
};
