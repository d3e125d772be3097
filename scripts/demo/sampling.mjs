/** More than any answer of the pocket model needs. */
export const MAX_TOKENS = 80;

/** What people sample at, and what the exam is taken at. */
export const TEMPERATURE = 0.8;
