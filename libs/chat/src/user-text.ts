import { textOfPart } from './chat-message';
import { stripInternalContext } from './internal-context';
import { cutRuntimeLine } from './runtime-line';

/** What a user message says once the client's own additions are cut out of it; parts that are left empty are dropped. */
export const cutAdditions = (content: unknown, hasRuntimeLine: boolean): unknown => {
  const cut = (text: string): string => {
    const spoken = stripInternalContext(text);
    return hasRuntimeLine ? cutRuntimeLine(spoken) : spoken;
  };
  if (typeof content === 'string') return cut(content);
  if (!Array.isArray(content)) return content;
  return content.flatMap((part: unknown) => {
    const text = textOfPart(part);
    if (text === null) return [part];
    const spoken = cut(text);
    if (spoken === text) return [part];
    return spoken === '' ? [] : [{ ...(part as object), text: spoken }];
  });
};

/** Text of cut content for reading its markers: text parts only, whatever else is in it is passed over. */
export const readText = (content: unknown): string => {
  if (typeof content === 'string') return content.trim();
  if (!Array.isArray(content)) return '';
  return content
    .map(textOfPart)
    .filter((text) => text !== null)
    .join(' ')
    .trim();
};

/** The time that OpenClaw puts before a user's text: `[Mon 2026-11-30 06:31 UTC] `. */
const STAMP = /^\[[A-Z][a-z]{2} \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]\n]{0,40}\] /;

/** A user's text in two: the time stamp, or '', and what follows it. */
export const splitStamp = (text: string): { readonly stamp: string; readonly spoken: string } => {
  const stamp = STAMP.exec(text)?.[0] ?? '';
  return { stamp, spoken: text.slice(stamp.length) };
};
