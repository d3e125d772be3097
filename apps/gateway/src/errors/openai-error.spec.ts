import { invalidRequest, OpenAiError } from './openai-error';

describe('OpenAiError', () => {
  it('is OpenAI’s envelope and no more', () => {
    const error = new OpenAiError(429, 'too_many_requests', 'slow down', {
      cause: new TypeError('x'),
    });
    expect(error.body).toEqual({
      error: { message: 'slow down', type: 'rate_limit_error', param: null, code: 'too_many_requests' },
    });
    expect(error.headers).toEqual({});
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it('says when to try again, and details for clients that look for them', () => {
    const error = new OpenAiError(503, null, 'm', { retryAfterSeconds: 2, detail: 'paused' });
    expect(error.headers).toEqual({ 'retry-after': '2' });
    expect(error.body).toMatchObject({ detail: 'paused', error: { code: null } });
  });

  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [404, 'not_found_error'],
    [413, 'invalid_request_error'],
    [429, 'rate_limit_error'],
    [500, 'server_error'],
    [503, 'server_error'],
  ])('says of status %d that it is a %s', (status, type) => {
    expect(new OpenAiError(status, null, 'm').body.error.type).toBe(type);
  });

  it('names the field of a wrong request, in its message too', () => {
    expect(invalidRequest('messages[0].role', 'must be a string').body).toEqual({
      error: {
        message: 'messages[0].role: must be a string',
        type: 'invalid_request_error',
        param: 'messages[0].role',
        code: null,
      },
    });
    expect(invalidRequest('n', 'x').status).toBe(400);
  });
});
