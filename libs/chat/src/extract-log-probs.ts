import { isRecord } from './chat-message';

const logProbOf = (entry: unknown): number | null => {
  const value = isRecord(entry) ? entry.logprob : null;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
};

/**
 * Log-probs of a chat completion's choice, one entry per sampled token, in order; [] where the choice carries none.
 * A value that is missing, null or not finite is null: never 0, which would read as certainty, and never left out,
 * which would shift every later log-prob onto its neighbour's token.
 */
export const extractLogProbs = (choice: unknown): (number | null)[] => {
  const logProbs = isRecord(choice) ? choice.logprobs : null;
  const entries = isRecord(logProbs) ? logProbs.content : null;
  return Array.isArray(entries) ? entries.map(logProbOf) : [];
};
