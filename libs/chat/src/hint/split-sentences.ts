/** Where a sentence may end: behind its mark and whatever closes a quotation or a bracket, or at a line break. */
const SENTENCE = /[\s\S]*?(?:[.!?…]+["'”’)\]]*(?=\s|$)|[。！？]["'”’」』）]*|\n+|$)\s*/gu;

/** A text as its sentences, each with the white space behind it: joined they are the text again. */
export const splitSentences = (text: string): string[] => text.match(SENTENCE)?.filter((piece) => piece !== '') ?? [];
