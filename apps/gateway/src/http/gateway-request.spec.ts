import { FeedbackDto } from '../feedback/feedback.dto';
import { OpenAiError } from '../errors/openai-error';
import { SessionEndDto } from '../sessions/session-end.dto';
import { bodyOf, parseBody, scopeOfRequest, type GatewayRequest } from './gateway-request';

const request = (fields: Record<string, unknown>): GatewayRequest => fields as unknown as GatewayRequest;

const refusal = (work: () => unknown): OpenAiError => {
  try {
    work();
  } catch (error) {
    if (error instanceof OpenAiError) return error;
    throw error;
  }
  throw new TypeError('it was taken');
};

describe('scopeOfRequest', () => {
  it('is the scope that the key check set', () => {
    expect(scopeOfRequest(request({ rlScope: 'abc' }))).toBe('abc');
  });

  it('refuses a request whose key was never checked', () => {
    expect(refusal(() => scopeOfRequest(request({}))).status).toBe(401);
  });
});

describe('bodyOf', () => {
  it('is the bytes, none for a request without a body', () => {
    const bytes = Buffer.from('x');
    expect(bodyOf(request({ body: bytes }))).toBe(bytes);
    for (const body of [undefined, null, {}]) expect(bodyOf(request({ body }))).toHaveLength(0);
  });
});

describe('parseBody', () => {
  const feedback = (text: string): FeedbackDto => parseBody(FeedbackDto, Buffer.from(text));

  it('reads a body into its class', () => {
    expect(feedback('{"turn_id":"a-b_1","score":-1,"text":"no","outcome":0.5}')).toEqual(
      Object.assign(new FeedbackDto(), { turn_id: 'a-b_1', score: -1, text: 'no', outcome: 0.5 }),
    );
  });

  it.each(['', '{}'])('takes %j for an empty object', (text) => {
    expect(parseBody(SessionEndDto, Buffer.from(text))).toEqual(new SessionEndDto());
  });

  it.each([
    ['no JSON', '{"score":', 'body'],
    ['a list', '[]', 'body'],
    ['null', 'null', 'body'],
    ['a number', '1', 'body'],
    ['a turn id with a dot', '{"turn_id":"a.b"}', 'turn_id'],
    ['a turn id with a line feed', '{"turn_id":"ab\\n"}', 'turn_id'],
    ['a turn id that is a number', '{"turn_id":1}', 'turn_id'],
    ['an empty session id', '{"session_id":""}', 'session_id'],
    ['a long session id', `{"session_id":"${'x'.repeat(513)}"}`, 'session_id'],
    ['a score that is none', '{"score":2}', 'score'],
    ['a score as text', '{"score":"1"}', 'score'],
    ['a score that is true', '{"score":true}', 'score'],
    ['an empty text', '{"text":""}', 'text'],
    ['a text that is a list', '{"text":["a"]}', 'text'],
    ['an outcome as text', '{"outcome":"1"}', 'outcome'],
    ['an outcome without end', '{"outcome":1e999}', 'outcome'],
    ['a field that is not known', '{"scor":1}', 'scor'],
  ])('refuses %s and names the field', (_what, text, param) => {
    const error = refusal(() => feedback(text));
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param });
    expect(error.message.startsWith(`${param}: `)).toBe(true);
  });

  it('does not repeat what a person wrote', () => {
    expect(refusal(() => feedback('{"text":["my secret"]}')).message).not.toContain('secret');
  });
});
