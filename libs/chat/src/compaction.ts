import type { MainLineEntry } from './main-line';
import { readText } from './user-text';

/** How OpenClaw begins the user message that stands for the history which it compacted. */
const SUMMARY = 'The conversation history before this point was compacted into the following summary:';

/** Whether an entry is the first behind a compaction's summary: what it answered is in the summary now. */
export const isFirstAfterSummary = (entries: readonly MainLineEntry[], index: number): boolean => {
  const before = index - 1;
  if (before < 0 || entries.findIndex((entry) => entry.role === 'user') !== before) return false;
  return readText(entries[before]?.message.content).startsWith(SUMMARY);
};
