import { parseObject } from './json-members';
import { readGroup } from './read-group';
import type { ParsedCall, ToolDialect } from './tool-dialect';

const ID = /^(?:functions\.)?([^:\s]+)(?::\d+)?$/;

const readCall = (head: string, rest: string): ParsedCall | null => {
  const id = head.trim();
  const name = ID.exec(id)?.[1];
  const args = rest.trim();
  return name === undefined || parseObject(args) === null ? null : { id, name, arguments: args };
};

const MARKS = { open: '<|tool_call_begin|>', separator: '<|tool_call_argument_begin|>', close: '<|tool_call_end|>' };

/** Kimi K2: calls stand between two marks, each with an id such as `functions.read:0` that its name is read from. */
export const kimi: ToolDialect = {
  open: '<|tool_calls_section_begin|>',
  close: '<|tool_calls_section_end|>',
  inner: Object.values(MARKS),
  parse: (body) =>
    readGroup(body, {
      ...MARKS,
      readCall,
    }),
};
