import { parseJsonCall } from './json-call';
import type { ToolDialect } from './tool-dialect';

/** Hermes and Qwen 2.5 and 3: `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, one pair of marks per call. */
export const hermes: ToolDialect = {
  open: '<tool_call>',
  close: '</tool_call>',
  parse: (body) => {
    const call = parseJsonCall(body.trim());
    return call === null ? null : [call];
  },
};
