/** The mark that begins earliest in the text; of two at the same place, the longer one. null where there is none. */
export const firstMark = (text: string, marks: readonly string[]): { at: number; mark: string } | null => {
  let found: { at: number; mark: string } | null = null;
  for (const mark of marks) {
    const at = text.indexOf(mark);
    if (at === -1) continue;
    if (found === null || at < found.at || (at === found.at && mark.length > found.mark.length)) found = { at, mark };
  }
  return found;
};

/** How many characters at the end of the text may be the beginning of a mark. */
export const openLength = (text: string, marks: readonly string[]): number => {
  let longest = 0;
  for (const mark of marks) {
    for (let length = Math.min(mark.length - 1, text.length); length > longest; length -= 1) {
      if (text.endsWith(mark.slice(0, length))) longest = length;
    }
  }
  return longest;
};
