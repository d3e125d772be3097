/** A judge's verdict on one answer: good, bad, or no opinion. `null` beside it always means "not judged". */
export type Score = 1 | -1 | 0;
