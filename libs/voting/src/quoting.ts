/** Shortens a text in the middle, to about `limit` characters; the mark says how much is missing. */
export const cutMiddle = (text: string, limit: number): string => {
  if (text.length <= limit) return text;
  const head = Math.ceil(limit / 2);
  const tail = text.length - Math.floor(limit / 2);
  return `${text.slice(0, head)}\n[… ${tail - head} characters left out …]\n${text.slice(tail)}`;
};

/**
 * Shares `total` characters among texts: short ones stay whole, and what they leave is shared by the long ones alike.
 * Order is kept.
 */
export const cutTogether = (texts: readonly string[], total: number): string[] => {
  let left = total;
  let open = texts.length;
  let limit = 0;
  for (const length of texts.map((text) => text.length).sort((a, b) => a - b)) {
    limit = Math.floor(left / open);
    if (length > limit) break;
    left -= length;
    open -= 1;
  }
  return texts.map((text) => cutMiddle(text, limit));
};

/** Control tokens of chat templates that do not begin with `<`, and the marks of a hint. */
const BRACKET_TOKENS =
  /\[(?=\/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS|TOOL_CONTENT|THINK|ARGS|HINT_START|HINT_END)\])/g;

// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F]/g;

/**
 * Makes a text safe to stand in a prompt: it can neither close or open a tag, nor be a control token of the model's chat
 * template, nor hold a verdict or a hint that a judge could repeat. Every `<` becomes `‹`, `\boxed` loses its backslash.
 */
export const quote = (text: string): string =>
  text
    // First, since what becomes a space here may stand inside one of the forms below.
    .replace(/\r\n?/g, '\n')
    .replace(CONTROLS, ' ')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/[<＜﹤]/g, '‹')
    .replace(BRACKET_TOKENS, '⟦')
    .replace(/\\[\\\s]*(?=boxed)/gi, '');
