import { AnswerRecorder, type RecordedAnswer } from './answer-recorder';

type Json = Readonly<Record<string, unknown>>;

const record = (...chunks: Json[]): RecordedAnswer => {
  const recorder = new AnswerRecorder();
  for (const chunk of chunks) recorder.add(chunk);
  return recorder.result();
};

const logProbs = (...values: (number | null)[]): Json => ({
  content: values.map((logprob) => ({ token: 'x', logprob })),
});
const delta = (fields: Json, rest: Json = {}): Json => ({
  choices: [{ index: 0, delta: fields, finish_reason: null, ...rest }],
});
const finish = (reason: string): Json => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const call = (fields: Json): Json => delta({ tool_calls: [fields] });

describe('AnswerRecorder', () => {
  it('is an empty unfinished answer before anything came', () => {
    const recorder = new AnswerRecorder();
    expect(recorder.finished).toBe(false);
    expect(recorder.result()).toEqual({
      message: { role: 'assistant', content: '' },
      finishReason: null,
      promptIds: null,
      responseIds: null,
      logProbs: [],
      weightVersions: [],
      isStartTold: false,
      spans: [],
      promptTokens: null,
      completionTokens: null,
      failed: false,
      isContradictory: false,
    });
  });

  it('notes which policy version was there when each token came, and what the engine called its weights', () => {
    let version = 3;
    const recorder = new AnswerRecorder({ versionNow: () => version, isStreamed: true });
    const weights = (name: string): Json => ({ metadata: { weight_version: name } });
    recorder.add({ ...weights('a'), ...delta({ content: 'a' }, { logprobs: logProbs(-0.1, -0.2) }) });
    recorder.add(delta({ content: 'b' }, { logprobs: logProbs(-0.1) }));
    recorder.add({ ...weights('b'), ...delta({ content: 'b' }, { logprobs: logProbs(-0.1) }) });
    version = 4;
    recorder.add(delta({ content: '' }));
    // Ids come with their tokens, log-probs may all come at the end.
    recorder.add({ ...weights('b'), ...delta({ content: 'c' }, { token_ids: [1, 2] }) });
    version = 5;
    recorder.add(finish('stop'));
    expect(recorder.result()).toMatchObject({
      weightVersions: ['a', 'b'],
      isStartTold: true,
      spans: [
        { version: 3, weights: 'a', tokens: 3 },
        { version: 3, weights: 'b', tokens: 1 },
        { version: 4, weights: 'b', tokens: 2 },
      ],
    });
  });

  it('knows nothing of when the tokens of a whole answer were made, unless it came in parts', () => {
    const recorder = new AnswerRecorder({ versionNow: () => 3, isStreamed: false });
    recorder.add({ ...delta({ content: 'a' }, { token_ids: [1] }), metadata: { weight_version: 'a' } });
    expect(recorder.result()).toMatchObject({ spans: [], weightVersions: ['a'], isStartTold: false });
    recorder.markInterrupted();
    expect(recorder.result().spans).toEqual([{ version: 3, weights: 'a', tokens: 1 }]);
  });

  it('does not take a name that comes at the end for that of the start', () => {
    const recorder = new AnswerRecorder({ versionNow: () => 3, isStreamed: true });
    recorder.add(delta({ content: 'a' }, { logprobs: logProbs(-0.1) }));
    recorder.add({ choices: [], metadata: { weight_version: 'b' } });
    expect(recorder.result()).toMatchObject({ weightVersions: ['b'], isStartTold: false });
  });

  it('puts a stream together', () => {
    const answer = record(
      delta({ role: 'assistant', content: '', reasoning_content: null }),
      delta({ reasoning_content: 'let me ' }, { logprobs: logProbs(-0.1, -0.2) }),
      delta({ reasoning_content: 'think' }, { logprobs: logProbs(-0.3) }),
      delta({ content: 'four ' }, { logprobs: logProbs(-0.4) }),
      delta({ content: '😀' }, { logprobs: logProbs(-0.5, -0.6) }),
      finish('stop'),
      { choices: [], sglext: { input_ids: [1, 2], output_ids: [[3, 4, 5, 6, 7, 8]] } },
      { choices: [], usage: { prompt_tokens: 2, completion_tokens: 6 }, metadata: { weight_version: 'step-7' } },
    );
    expect(answer).toEqual({
      spans: [],
      isStartTold: false,
      message: { role: 'assistant', content: 'four 😀', reasoning_content: 'let me think' },
      finishReason: 'stop',
      promptIds: [1, 2],
      responseIds: [3, 4, 5, 6, 7, 8],
      logProbs: [-0.1, -0.2, -0.3, -0.4, -0.5, -0.6],
      weightVersions: ['step-7'],
      promptTokens: 2,
      completionTokens: 6,
      failed: false,
      isContradictory: false,
    });
  });

  it('reads a whole answer alike', () => {
    const calls = [{ id: 'c1', type: 'function', function: { name: 'exec', arguments: '{}' } }];
    const answer = record({
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: calls },
          logprobs: logProbs(-1),
          finish_reason: 'tool_calls',
        },
      ],
      usage: { completion_tokens: 1 },
      metadata: { weight_version: 'w' },
      sglext: { input_ids: [1], output_ids: [[2]] },
    });
    expect(answer).toMatchObject({
      message: { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: calls },
      finishReason: 'tool_calls',
      responseIds: [2],
      logProbs: [-1],
      weightVersions: ['w'],
    });
  });

  describe('tool calls', () => {
    const calls = (...chunks: Json[]): unknown => record(...chunks).message.tool_calls;
    const expected = (id: string, name: string, args: string): Json => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    });

    it('grow by their index, side by side', () => {
      expect(
        calls(
          call({ id: 'c1', index: 0, type: 'function', function: { name: 'read', arguments: '' } }),
          call({ id: null, index: 0, function: { name: null, arguments: '{"a"' } }),
          call({ id: 'c2', index: 1, type: 'function', function: { name: 'exec', arguments: '{}' } }),
          call({ id: null, index: 0, function: { name: null, arguments: ':1}' } }),
        ),
      ).toEqual([expected('c1', 'read', '{"a":1}'), expected('c2', 'exec', '{}')]);
    });

    it('stand in the order of their index', () => {
      expect(
        calls(
          call({ id: 'c2', index: 1, function: { name: 'b' } }),
          call({ id: 'c1', index: 0, function: { name: 'a' } }),
        ),
      ).toEqual([expected('c1', 'a', ''), expected('c2', 'b', '')]);
    });

    it('keep their id where later pieces repeat an empty one', () => {
      expect(
        calls(
          call({ id: 'c1', index: 0, function: { name: 'a' } }),
          call({ id: '', index: 0, function: { arguments: '{}' } }),
        ),
      ).toEqual([expected('c1', 'a', '{}')]);
    });

    it('are told apart by id where a server sends no index', () => {
      expect(
        calls(
          call({ id: 'c1', function: { name: 'a', arguments: '{' } }),
          call({ function: { arguments: '}' } }),
          call({ id: 'c2', function: { name: 'b', arguments: '[' } }),
          call({ id: 'c2', function: { arguments: ']' } }),
        ),
      ).toEqual([expected('c1', 'a', '{}'), expected('c2', 'b', '[]')]);
    });

    it('are told apart by place in a whole answer without ids', () => {
      const message = { tool_calls: [{ function: { name: 'a' } }, { function: { name: 'b' } }] };
      expect(calls({ choices: [{ message }] })).toEqual([expected('', 'a', ''), expected('', 'b', '')]);
    });

    it('leave text beside them in place', () => {
      const answer = record(delta({ content: 'one moment' }), call({ id: 'c1', index: 0, function: { name: 'a' } }));
      expect(answer.message.content).toBe('one moment');
    });
  });

  it('records the first choice only', () => {
    const answer = record({
      choices: [
        { index: 1, delta: { content: 'second' }, logprobs: logProbs(-9), finish_reason: 'length' },
        { index: 0, delta: { content: 'first' }, logprobs: logProbs(-1), finish_reason: 'stop' },
      ],
    });
    expect(answer).toMatchObject({ message: { content: 'first' }, logProbs: [-1], finishReason: 'stop' });
  });

  it('reads reasoning under its other name', () => {
    expect(record(delta({ reasoning: 'hm' })).message.reasoning_content).toBe('hm');
  });

  it('keeps a missing log-prob as a hole in its place', () => {
    expect(record(delta({ content: 'a' }, { logprobs: logProbs(-1, null, -2) })).logProbs).toEqual([-1, null, -2]);
  });

  it.each([
    ['ids that are no list', { input_ids: 7, output_ids: 7 }],
    ['ids that are texts', { input_ids: ['1'], output_ids: [['2']] }],
    ['negative ids', { input_ids: [-1], output_ids: [[-1]] }],
    ['fractions', { input_ids: [1.5], output_ids: [[1.5]] }],
    ['ids too large to be kept', { input_ids: [2 ** 31], output_ids: [[2 ** 31]] }],
    ['a hole', { input_ids: [null], output_ids: [[null]] }],
    ['no list of lists', { input_ids: null, output_ids: [1, 2] }],
    ['nothing', {}],
  ])('has no ids where the engine sends %s', (_what, sglext) => {
    expect(record({ choices: [], sglext })).toMatchObject({ promptIds: null, responseIds: null });
  });

  it('puts ids together that come with each piece', () => {
    const answer = record(
      { ...delta({ role: 'assistant', content: '' }), prompt_token_ids: [1, 2] },
      delta({ content: 'a' }, { logprobs: logProbs(-1), token_ids: [3] }),
      delta({ content: 'bc' }, { logprobs: logProbs(-2, -3), token_ids: [4, 5] }),
      delta({}, { token_ids: null, finish_reason: 'stop' }),
    );
    expect(answer).toMatchObject({ promptIds: [1, 2], responseIds: [3, 4, 5], logProbs: [-1, -2, -3] });
  });

  it('takes empty lists of ids for what they are', () => {
    expect(record({ choices: [], sglext: { input_ids: [], output_ids: [[]] } })).toMatchObject({
      promptIds: [],
      responseIds: [],
    });
  });

  it('notes an error in place of the rest', () => {
    expect(record(delta({ content: 'a' }), { error: { message: 'm' } }).failed).toBe(true);
    expect(record({ ...delta({ content: 'a' }), error: null }).failed).toBe(false);
  });

  it('notes a piece that could not be read', () => {
    const recorder = new AnswerRecorder();
    recorder.markUnreadable();
    expect(recorder.result().failed).toBe(true);
  });

  it.each([
    [{ choices: 'x', usage: 'x', sglext: 'x', metadata: 'x' }],
    [{ choices: [null, 1, 'x', []] }],
    [{ choices: [{ delta: 'x', logprobs: 'x', finish_reason: 7 }] }],
    [{ choices: [{ delta: { content: 7, reasoning_content: [], tool_calls: [null, 'x', { function: 'x' }] } }] }],
    [{ usage: { completion_tokens: 'x' }, metadata: { weight_version: 7 } }],
  ])('never throws on odd pieces: %j', (chunk) => {
    expect(() => record(chunk)).not.toThrow();
  });
});
