import { parseObject } from './json-members';
import { readGroup } from './read-group';
import type { ParsedCall, ToolDialect } from './tool-dialect';

const FENCED = /^([^\n]+)\n```json\n([\s\S]*)\n```$/;

/** V3 and R1 write `function`, the separator, the name and a fenced object; V3.1 and later the name and the object. */
const readCall = (head: string, rest: string): ParsedCall | null => {
  const fenced = head.trim() === 'function' ? FENCED.exec(rest.trim()) : null;
  const name = (fenced?.[1] ?? head).trim();
  const args = (fenced?.[2] ?? rest).trim();
  return name === '' || parseObject(args) === null ? null : { name, arguments: args };
};

const MARKS = { open: '<｜tool▁call▁begin｜>', separator: '<｜tool▁sep｜>', close: '<｜tool▁call▁end｜>' };

/** DeepSeek V3, R1 and V3.1: all calls of an answer stand between two marks. */
export const deepseek: ToolDialect = {
  open: '<｜tool▁calls▁begin｜>',
  close: '<｜tool▁calls▁end｜>',
  inner: Object.values(MARKS),
  parse: (body) =>
    readGroup(body, {
      ...MARKS,
      readCall,
    }),
};
