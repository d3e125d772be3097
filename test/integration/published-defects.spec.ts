import { majorityVote } from '@app/advantage';
import { describeConversation, flattenContent, parseScore, type ChatMessage } from '@app/chat';
import { INITIAL_POLICY_STATE, takeLease, waitingSequences } from '@app/pools';
import { AnswerRecorder } from '../../apps/gateway/src/capture/answer-recorder';
import { judgeCapture } from '../../apps/gateway/src/capture/judge-capture';
import { parseChatRequest } from '../../apps/gateway/src/chat/parse-request';

/** Where the published Python system gives a wrong or unsafe result, and what is right. */
describe('defects of the published system', () => {
  const entry = (token: string, logprob: number | null) => ({ token, logprob });

  it('log-probs stand on the tokens that were sampled, not on a rendering of the message', () => {
    const tokens = [
      '<think>',
      '\n',
      '\n',
      'let',
      ' me',
      ' think',
      '\n',
      '</think>',
      '\n',
      '\n',
      'the',
      ' answer',
      '<|im_end|>',
    ];
    const logProbs = [-0.01, -0.02, -2.5, -0.3, -0.4, -0.5, -0.06, -0.07, -0.08, -0.09, -1.5, -1.6, -0.001];
    const ids = tokens.map((_, i) => 100 + i);
    const recorder = new AnswerRecorder();
    recorder.add({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'the answer', reasoning_content: 'let me think' },
          logprobs: { content: tokens.map((token, i) => entry(token, logProbs[i]!)) },
          finish_reason: 'stop',
        },
      ],
      sglext: { input_ids: [1, 2], output_ids: [ids] },
    });
    expect(judgeCapture(recorder.result())).toEqual({
      kind: 'exact',
      promptIds: Int32Array.of(1, 2),
      responseIds: Int32Array.from(ids),
      logProbs: Float64Array.from(logProbs),
    });
  });

  it('a null log-prob neither fails the request nor reads as certain', () => {
    const recorder = new AnswerRecorder();
    recorder.add({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 't' },
          logprobs: { content: [entry('t', null)] },
          finish_reason: 'stop',
        },
      ],
      sglext: { input_ids: [1], output_ids: [[7]] },
    });
    expect(recorder.result().logProbs).toEqual([null]);
    expect(judgeCapture(recorder.result())).toMatchObject({ kind: 'excluded', reason: 'incomplete' });
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
