import { AnswerRecorder } from '../capture/answer-recorder';
import { NO_ADDITIONS, type Additions } from './client-view';
import { relayBody, StreamRelay, type RelayOptions } from './relay';

const ALL: Additions = { logprobs: true, inputIds: true, outputIds: true, tokenIds: true };

const optionsWith = (additions: Additions): RelayOptions => ({
  additions,
  servedModel: 'served',
  recorder: new AnswerRecorder(),
});

const relayText = (text: string, options: RelayOptions): string => {
  const relay = new StreamRelay(options);
  return [...relay.push(Buffer.from(text)), ...relay.flush()].join('');
};

const logProbs = (value: number): string =>
  `{"content":[{"token":"x","bytes":[120],"logprob":${value},"top_logprobs":[]}]}`;
const piece = (rest: string): string =>
  `data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"served",${rest}}\n\n`;

const ROLE = piece(
  '"choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]',
);
const text = (content: string, logprobs: string): string =>
  piece(`"choices":[{"index":0,"delta":{"content":"${content}"},"logprobs":${logprobs},"finish_reason":null}]`);
const FINISH = piece('"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop","matched_stop":7}]');
const IDS = piece('"choices":[],"sglext":{"input_ids":[1,2,3],"output_ids":[[4,5]]}');
const USAGE = piece('"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}');
const DONE = 'data: [DONE]\n\n';

describe('StreamRelay', () => {
  it('gives the client the stream it would have got without us, and records the rest', () => {
    const options = optionsWith(ALL);
    const upstream = ROLE + text('Hel', logProbs(-0.5)) + text('lo', logProbs(-0.25)) + FINISH + IDS + USAGE + DONE;
    expect(relayText(upstream, options)).toBe(ROLE + text('Hel', 'null') + text('lo', 'null') + FINISH + USAGE + DONE);
    expect(options.recorder.result()).toMatchObject({
      message: { role: 'assistant', content: 'Hello' },
      finishReason: 'stop',
      promptIds: [1, 2, 3],
      responseIds: [4, 5],
      logProbs: [-0.5, -0.25],
      completionTokens: 2,
      failed: false,
    });
  });

  it('passes the bytes on untouched where nothing was added, odd forms included', () => {
    const upstream =
      ': comment\n\n' +
      'event: message\r\ndata: {"model":"served", "choices":[ ],\r\ndata: "n":1.0}\r\n\r\n' +
      text('a', logProbs(-1)) +
      IDS +
      DONE;
    expect(relayText(upstream, optionsWith(NO_ADDITIONS))).toBe(upstream);
  });

  it('translates the model and leaves the other fields of the event where they are', () => {
    const upstream = 'id: 3\nevent: chunk\ndata: {"model":"/weights/7","choices":[]}\n\n';
    expect(relayText(upstream, optionsWith(NO_ADDITIONS))).toBe(
      'id: 3\nevent: chunk\ndata: {"model":"served","choices":[]}\n\n',
    );
  });

  it('passes reasoning and tool-call pieces on as they came', () => {
    const upstream =
      piece('"choices":[{"index":0,"delta":{"reasoning_content":"hm"},"logprobs":null,"finish_reason":null}]') +
      piece(
        '"choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_1","index":0,"type":"function","function":{"name":"exec","arguments":""}}]},"finish_reason":null}]',
      ) +
      piece(
        '"choices":[{"index":0,"delta":{"tool_calls":[{"id":null,"index":0,"type":"function","function":{"name":null,"arguments":"{}"}}]},"finish_reason":null}]',
      ) +
      DONE;
    expect(relayText(upstream, optionsWith(ALL))).toBe(upstream);
  });

  it('passes an error in the stream on and records that the answer failed', () => {
    const options = optionsWith(ALL);
    const upstream = text('a', 'null') + 'data: {"error":{"message":"out of memory","code":500}}\n\n' + DONE;
    expect(relayText(upstream, options)).toBe(upstream);
    expect(options.recorder.result().failed).toBe(true);
  });

  it.each(['data: {"model":\n\n', 'data: <html>\n\n', 'data: 7\n\n', 'data: [1]\n\n', 'data:\n\n'])(
    'passes %j on and records a gap',
    (garbage) => {
      const options = optionsWith(ALL);
      expect(relayText(garbage + DONE, options)).toBe(garbage + DONE);
      expect(options.recorder.result().failed).toBe(true);
    },
  );

  it.each([
    ['without its blank line', 'data: [DONE]'],
    ['with spaces', 'data:  [DONE] \n\n'],
    ['with carriage returns', 'data: [DONE]\r\n\r\n'],
  ])('takes [DONE] %s for the end and not for a gap', (_what, done) => {
    const options = optionsWith(ALL);
    expect(relayText(FINISH + done, options)).toBe(FINISH + done);
    expect(options.recorder.result()).toMatchObject({ failed: false, finishReason: 'stop' });
  });

  it('treats a last chunk without its blank line like any other', () => {
    const options = optionsWith(ALL);
    expect(relayText(IDS.trimEnd(), options)).toBe('');
    expect(options.recorder.result().responseIds).toEqual([4, 5]);
  });

  it('hands each event on with the bytes that complete it', () => {
    const relay = new StreamRelay(optionsWith(ALL));
    const event = Buffer.from(text('a', 'null'));
    expect(relay.push(event.subarray(0, 40))).toEqual([]);
    expect(relay.push(event.subarray(40)).join('')).toBe(event.toString());
    expect(relay.flush()).toEqual([]);
  });
});

describe('relayBody', () => {
  const answer = (logprobs: string, rest = ''): string =>
    `{"id":"c1","model":"served","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"logprobs":${logprobs},"finish_reason":"stop"}]${rest}}`;
  const IDS_OF_ANSWER = ',"sglext":{"input_ids":[1],"output_ids":[[2]]}';

  it('takes out what only we asked for, and records it', () => {
    const options = optionsWith(ALL);
    const body = relayBody(Buffer.from(answer(logProbs(-0.5), IDS_OF_ANSWER)), options);
    expect(body.toString()).toBe(answer('null'));
    expect(options.recorder.result()).toMatchObject({
      promptIds: [1],
      responseIds: [2],
      logProbs: [-0.5],
      failed: false,
    });
  });

  it('returns the very bytes where nothing was added', () => {
    const body = Buffer.from(answer(logProbs(-0.5), IDS_OF_ANSWER));
    expect(relayBody(body, optionsWith(NO_ADDITIONS))).toBe(body);
  });

  it.each(['', '<html>bad gateway</html>', '[]', 'null', '{"choices":'])('passes %j on and records a gap', (text) => {
    const options = optionsWith(ALL);
    const body = Buffer.from(text);
    expect(relayBody(body, options)).toBe(body);
    expect(options.recorder.result().failed).toBe(true);
  });

  it('answers an object also where the engine made no choice', () => {
    const body = relayBody(Buffer.from('{"model":"served","choices":[],"sglext":{"input_ids":[1]}}'), optionsWith(ALL));
    expect(JSON.parse(body.toString())).toMatchObject({ model: 'served', choices: [] });
  });
});
