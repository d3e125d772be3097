import { setImmediate, setTimeout as delay } from 'node:timers/promises';
import { answerIds } from './answers';
import type { Engine, Job } from './engine';
import { ConnectionCutError, ScriptedFailureError } from './errors';
import { nextLogProbs, sampleToken, seedOf, topTokens, uniform, type Candidate } from './language-model';
import type { ScriptedAnswer } from './options';
import { TextAssembler } from './text-assembler';
import { SPECIAL } from './tokenizer';

export interface Sampling {
  temperature: number;
  topP: number;
  topK: number;
  maxTokens: number;
  stop: readonly string[];
  stopTokenIds: readonly number[];
  ignoreEos: boolean;
  skipSpecialTokens: boolean;
  keepStop: boolean;
}

export interface GenerationRequest {
  job: Job;
  promptIds: readonly number[];
  sampling: Sampling;
  /** What to say; without it tokens are drawn from the model. */
  answer?: ScriptedAnswer;
  /** Number of alternatives per token. */
  topCount: number;
}

/** One generated token and the text that became certain with it. */
export interface Step extends Candidate {
  top: Candidate[];
  text: string;
}

/** SGLang's finish reason. */
export type Finish =
  { type: 'stop'; matched: number | string } | { type: 'length'; length: number } | { type: 'abort'; message: string };

export interface Ending {
  finish: Finish;
  /** Text that was held back until the end. */
  tail: string;
}

/** Breath between tokens, so that aborts and disconnects are seen. */
const TOKENS_PER_BREATH = 8;

async function beforeToken(engine: Engine, { job, answer }: GenerationRequest, position: number): Promise<void> {
  if (position % TOKENS_PER_BREATH === 0) await setImmediate();
  await engine.whileOpen(job);
  if (answer?.breakAfterTokens === position) throw new ConnectionCutError(`The script cuts after ${position} tokens.`);
  if (answer?.errorAfterTokens === position) {
    throw new ScriptedFailureError(answer.status ?? 500, answer.message ?? 'Internal server error');
  }
  if (answer?.hold && position === (answer.holdAfterTokens ?? 0)) await job.orAborted(answer.hold);
  const pause = position === 0 ? (answer?.firstDelayMs ?? answer?.delayMs) : answer?.delayMs;
  if (pause) await job.orAborted(delay(pause, undefined, { ref: false }));
  await engine.whileOpen(job);
}

function nextStep(
  engine: Engine,
  request: GenerationRequest,
  ids: readonly number[],
  scripted?: number,
): Omit<Step, 'text'> {
  const { settings } = engine;
  const { sampling, promptIds, topCount } = request;
  const greedy = sampling.temperature === 0;
  const context = [...promptIds.slice(-4), ...ids.slice(-4)];
  const tempered = nextLogProbs(settings.weightVersion, context, greedy ? 1 : sampling.temperature);
  const original = settings.returnOriginalLogprob || settings.dialect === 'vllm';
  const shown = original ? nextLogProbs(settings.weightVersion, context) : tempered;
  const draw = uniform(seedOf(settings.seed, promptIds.length, ...promptIds.slice(-32)), ids.length);
  const id = scripted ?? sampleToken(tempered, { topP: sampling.topP, topK: greedy ? 1 : sampling.topK, draw });
  return { id, logProb: shown[id] ?? -Infinity, top: topTokens(shown, topCount) };
}

/** Why generation ends with this token, or undefined. Length comes first, as in SGLang. */
function finishWith(id: number, count: number, sampling: Sampling): Finish | undefined {
  if (count >= sampling.maxTokens) return { type: 'length', length: count };
  const ends = id === SPECIAL.imEnd || id === SPECIAL.endOfText;
  if ((ends && !sampling.ignoreEos) || sampling.stopTokenIds.includes(id)) return { type: 'stop', matched: id };
  return undefined;
}

/** Generates token by token; the return value says how it ended. Throws where the script breaks or fails the answer. */
export async function* generate(engine: Engine, request: GenerationRequest): AsyncGenerator<Step, Ending> {
  const { answer, job, sampling } = request;
  const script = answer && answerIds(answer).slice(0, answer.cutOffAfterTokens);
  const assembler = new TextAssembler({ ...sampling });
  const ids: number[] = [];
  const ending = (finish: Finish): Ending => ({ finish, tail: assembler.end() });

  if (sampling.maxTokens === 0) return ending({ type: 'length', length: 0 });
  for (;;) {
    await beforeToken(engine, request, ids.length);
    if (job.abortMessage !== undefined) return ending({ type: 'abort', message: job.abortMessage });
    if (script && ids.length >= script.length) return ending({ type: 'length', length: ids.length });
    const step = nextStep(engine, request, ids, script?.[ids.length]);
    ids.push(step.id);
    const finish = finishWith(step.id, ids.length, sampling);
    // A token that ends the answer is no part of its text.
    const piece = finish?.type === 'stop' && !sampling.keepStop ? { text: '' } : assembler.push(step.id);
    yield { ...step, text: piece.text };
    if (piece.stopped !== undefined) return ending({ type: 'stop', matched: piece.stopped });
    if (finish) return ending(finish);
  }
}

/** Log-prob of each id from `start` on, given what stands before it; the first of a text has none and is null. */
export function scoreIds(engine: Engine, ids: readonly number[], start: number): (Float64Array | null)[] {
  return ids
    .slice(start)
    .map((_, at) =>
      at === 0 ? null : nextLogProbs(engine.settings.weightVersion, ids.slice(Math.max(0, start + at - 4), start + at)),
    );
}
