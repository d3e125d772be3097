import { isRecord, textOfPart } from './chat-message';

/** Most texts hold no mark, and to look for these signs costs less than to match. */
const IN_EVERY_MARK = '_OPENCLAW_INTERNAL_CONTEXT>>>';

/**
 * OpenClaw's internal context: blocks that its runtime writes into a request in the user's name and leaves out of the
 * history later. The marks stand at the start and the end of a line; a mark in the middle of a line is somebody's quotation.
 */
const MARKS = /^[ \t]*<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>|<<<END_OPENCLAW_INTERNAL_CONTEXT>>>[ \t]*$/gm;

/** What is left of the text around the outermost blocks; an unclosed block is text. Linear in the text's length. */
const outsideBlocks = (text: string): string[] => {
  if (!text.includes(IN_EVERY_MARK)) return [text];
  const pieces: string[] = [];
  let depth = 0;
  let from = 0;
  let blockStart = 0;
  for (const mark of text.matchAll(MARKS)) {
    if (mark[0].includes('BEGIN')) {
      if (depth === 0) blockStart = mark.index;
      depth += 1;
    } else if (depth > 0) {
      depth -= 1;
      if (depth > 0) continue;
      pieces.push(text.slice(from, blockStart));
      from = mark.index + mark[0].length;
    }
  }
  pieces.push(text.slice(from));
  return pieces;
};

/** The text without OpenClaw's internal-context blocks; what stood before and after a block becomes two paragraphs. */
export const stripInternalContext = (text: string): string => {
  const pieces = outsideBlocks(text);
  if (pieces.length === 1) return text;
  return pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '')
    .join('\n\n');
};

const isBlocksOnly = (text: string): boolean => text.trim() !== '' && stripInternalContext(text) === '';

/** Whether a message is a carrier: a user message of nothing but internal-context blocks. */
export const isInternalContext = (message: unknown): boolean => {
  if (!isRecord(message) || message.role !== 'user') return false;
  const { content } = message;
  if (typeof content === 'string') return isBlocksOnly(content);
  if (!Array.isArray(content) || content.length === 0) return false;
  return content.every((part) => isBlocksOnly(textOfPart(part) ?? ''));
};
