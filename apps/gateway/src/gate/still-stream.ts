import type { Gate } from './gate';

/** Clients that watch a stream count events, not comments; the real one gives up after a minute at the earliest. */
const BEAT_MS = 15_000;

/** A chunk that says nothing: it shows a client that its stream lives. */
export const emptyChunk = (turnId: string, model: string): string => {
  const chunk = { id: turnId, object: 'chat.completion.chunk', created: Math.floor(Date.now() / 1000), model };
  return `data: ${JSON.stringify({ ...chunk, choices: [] })}\n\n`;
};

/** Calls `beat` every 15 s for as long as the gate is closed, until the returned function is called. */
export const whileStill = (gate: Pick<Gate, 'isClosed'>, beat: () => void): (() => void) => {
  const timer = setInterval(() => {
    if (gate.isClosed) beat();
  }, BEAT_MS);
  return () => {
    clearInterval(timer);
  };
};
