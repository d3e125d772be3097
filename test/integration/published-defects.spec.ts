import { combinedAdvantages, majorityVote } from '@app/advantage';
import { describeConversation, flattenContent, parseScore, type ChatMessage } from '@app/chat';
import { IncompleteScoresError } from '@app/engines';
import { INITIAL_POLICY_STATE, takeLease, waitingSequences } from '@app/pools';
import { AnswerRecorder } from '../../apps/gateway/src/capture/answer-recorder';
import { judgeCapture } from '../../apps/gateway/src/capture/judge-capture';
import { parseChatRequest } from '../../apps/gateway/src/chat/parse-request';
import { readSglangScores, sglangScoreBody } from '../../libs/engines/src/scoring/sglang-scores';
import defects from './published-defects.json';

/** Where the published Python system gives a wrong or unsafe result, and what is right. */
describe('defects of the published system', () => {
  it.each(defects.sampled)('$name', ({ message, tokens, logProbs, right }) => {
    const ids = tokens.map((_, i) => 100 + i);
    const recorder = new AnswerRecorder();
    const content = logProbs.map((logprob, i) => ({ token: tokens[i], logprob }));
    recorder.add({
      choices: [{ index: 0, message, logprobs: { content }, finish_reason: 'stop' }],
      sglext: { input_ids: [1, 2], output_ids: [ids] },
    });
    expect(recorder.result().logProbs).toEqual(logProbs);
    expect(judgeCapture(recorder.result())).toEqual(
      right === 'exact'
        ? {
            kind: 'exact',
            promptIds: Int32Array.of(1, 2),
            responseIds: Int32Array.from(ids),
            logProbs: Float64Array.from(logProbs as number[]),
          }
        : { kind: 'excluded', reason: 'incomplete', detail: right },
    );
  });

  describe('a teacher’s scores', () => {
    const { ids, responseLength, askedFrom, oldLogProbs, replies, top } = defects.teacher;
    const request = { ids: Int32Array.from(ids), responseLength, topK: 0 };
    const reply = (entries: unknown, rows?: unknown) => ({
      text: '',
      meta_info: entries === null ? {} : { input_token_logprobs: entries, input_top_logprobs: rows },
    });
    const whole = replies[0]!.entries;

    it('are asked for from one token before the answer', () => {
      expect(sglangScoreBody(request).logprob_start_len).toBe(askedFrom);
    });

    it.each(replies)('are whole or none: $name', ({ entries, right }) => {
      const read = () => readSglangScores(reply(entries), request).logProbs;
      if (typeof right === 'string') {
        expect(read).toThrow(IncompleteScoresError);
        return;
      }
      expect([...read()]).toEqual(right.logProbs);
      const signal = { reward: 0, teacherLogProbs: read(), oldLogProbs, binaryWeight: 1, opdWeight: 1 };
      combinedAdvantages(signal).forEach((value, i) => {
        expect(value).toBeCloseTo(right.advantages[i]!, 12);
      });
    });

    it('have the likeliest tokens of every place from the answer’s first on, and none made up where they are missing', () => {
      const read = (rows: unknown) => readSglangScores(reply(whole, rows), { ...request, topK: top.k }).top!;
      const { ids: topIds, logProbs, present } = read(top.rows);
      expect([...topIds]).toEqual(top.right.ids);
      expect([...logProbs]).toEqual(top.right.logProbs);
      expect([...present]).toEqual(top.right.present);
      const holed = read(top.rows.with(1, null));
      expect([[...holed.ids], [...holed.present]]).toEqual([top.withoutFirst.ids, top.withoutFirst.present]);
    });
  });

  it('a batch leaves in the queue what is over its size', () => {
    const samples = Array.from({ length: 40 }, (_, i) => i + 1);
    const view = { samples, seenUpTo: 40, streamCreatedAt: 1 };
    const request = { requestId: 'r', asked: '', leaseId: 'l', trainer: 't', max: 16, min: 1, leaseMs: 1000 };
    const { state } = takeLease(INITIAL_POLICY_STATE, request, { now: 0, view, maxTrainers: 1, maxStaleness: 2 });
    expect(waitingSequences(state, view, 0)).toEqual(samples.slice(16));
  });

  it('turns without a sample take no place in a batch', () => {
    // Every second of forty outcomes is a reason; only samples are in the view that leases are cut from.
    const samples = Array.from({ length: 20 }, (_, i) => 2 * i + 1);
    const view = { samples, seenUpTo: 40, streamCreatedAt: 1 };
    const request = { requestId: 'r', asked: '', leaseId: 'l', trainer: 't', max: 16, min: 16, leaseMs: 1000 };
    const { state } = takeLease(INITIAL_POLICY_STATE, request, { now: 0, view, maxTrainers: 1, maxStaleness: 2 });
    expect(waitingSequences(state, view, 0)).toHaveLength(4);
  });

  it.each([
    ['a space inside the box', '\\boxed{ 1 }', 1],
    ['a decimal', '\\boxed{1.0}', 1],
    ['a text form', '\\boxed{\\text{-1}}', -1],
    ['two digits after a valid one', '\\boxed{1} no, \\boxed{10}', null],
    ['the rubric repeated', 'Then assign \\boxed{1}, \\boxed{-1}, or \\boxed{0}.', null],
    ['cut off while thinking', '<think>the rubric says \\boxed{-1} if wrong', null],
    ['a digit that is not ASCII', '\\boxed{\u0967}', null],
  ])('a verdict with %s is read as it is meant', (_, text, score) => {
    expect(parseScore(text)).toBe(score);
  });

  it('an outage of the judge is not a neutral vote', () => {
    expect(majorityVote([null, null, null])).toBeNull();
  });

  it('content of a wrong kind is refused before the model is paid, a null text part is empty', () => {
    const body = Buffer.from(JSON.stringify({ messages: [{ role: 'user', content: { a: 1 } }] }));
    expect(() => parseChatRequest(body)).toThrow(
      expect.objectContaining({ status: 400, param: 'messages[0].content' }),
    );
    expect(flattenContent([{ type: 'text', text: null }])).toBe('');
  });

  const nextState = (...after: ChatMessage[]) =>
    describeConversation([{ role: 'user', content: 'q' }, { role: 'assistant', content: 'a' }, ...after], 'scope');

  it('all parallel tool results are the next state, in order', () => {
    const results = [
      { role: 'tool', tool_call_id: 'c1', content: 'FIRST-RESULT-ERROR permission denied' },
      { role: 'tool', tool_call_id: 'c2', content: 'SECOND-RESULT-OK' },
    ];
    expect(nextState(...results)).toMatchObject({ nextState: results, nextStateRole: 'tool' });
  });

  it('a trailing system note does not hide what the user said', () => {
    const user = { role: 'user', content: 'that is wrong' };
    expect(nextState(user, { role: 'system', content: 'REMINDER-BLOCK' })).toMatchObject({
      nextState: [user],
      nextStateRole: 'user',
    });
  });
});
