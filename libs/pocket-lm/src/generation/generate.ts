import type { Random } from '../runtime/random';
import type { Decoder, Stream } from './decoder';
import { sampleToken, type SamplingOptions } from './sampling';

export interface Generation extends SamplingOptions {
  readonly prompt: readonly number[];
  readonly maxTokens: number;
  readonly random: Random;
}

export interface GeneratedText {
  /** With the end token, where it came to it. */
  readonly ids: readonly number[];
  /** Untempered. */
  readonly logProbs: readonly number[];
  readonly stopped: boolean;
}

interface Running {
  readonly generation: Generation;
  readonly stream: Stream;
  readonly ids: number[];
  readonly logProbs: number[];
  readonly done: (result: GeneratedText) => void;
}

/** Answers all prompts, as many at a time as the decoder has room for. What is drawn does not depend on who runs beside it. */
export const generateAll = (
  decoder: Decoder,
  generations: readonly Generation[],
  stopId: number,
): readonly GeneratedText[] => {
  const results = new Array<GeneratedText>(generations.length);
  const waiting = [...generations.entries()].reverse();
  let running: Running[] = [];
  while (waiting.length > 0 || running.length > 0) {
    while (decoder.freeSlots > 0) {
      const next = waiting.pop();
      if (next === undefined) break;
      const [at, generation] = next;
      const done = (result: GeneratedText): void => void (results[at] = result);
      running.push({ generation, stream: decoder.open(), ids: [], logProbs: [], done });
    }
    const logits = decoder.extend(
      running.map(({ stream, ids, generation }) => ({
        stream,
        ids: ids.length === 0 ? generation.prompt : ids.slice(-1),
      })),
    );
    running = running.filter((each, at) => {
      const token = sampleToken(logits[at] ?? new Float32Array(), each.generation, each.generation.random);
      each.ids.push(token.id);
      each.logProbs.push(token.logProb);
      const stopped = token.id === stopId;
      if (!stopped && each.ids.length < each.generation.maxTokens) return true;
      decoder.close(each.stream);
      each.done({ ids: each.ids, logProbs: each.logProbs, stopped });
      return false;
    });
  }
  return results;
};
