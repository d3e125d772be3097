const OPEN = '<think>';
const CLOSE = '</think>';

/** The text without the `<think>…</think>` block it begins with; an unclosed one is left alone. */
export const cutLeadingThought = (text: string): string => {
  const trimmed = text.trimStart();
  const end = trimmed.startsWith(OPEN) ? trimmed.indexOf(CLOSE) : -1;
  return end === -1 ? text : trimmed.slice(end + CLOSE.length);
};

/**
 * What a model said outside its thoughts; null if it was cut off while thinking. A closing mark without an opening one
 * ends thoughts that began in the prompt.
 */
export const cutThoughts = (text: string): string | null => {
  const spoken: string[] = [];
  let rest = text;
  for (;;) {
    const open = rest.indexOf(OPEN);
    const close = rest.indexOf(CLOSE);
    if (close === -1) return open === -1 ? [...spoken, rest].join('\n') : null;
    if (open === -1 || close < open) spoken.length = 0;
    else spoken.push(rest.slice(0, open));
    rest = rest.slice(close + CLOSE.length);
  }
};
