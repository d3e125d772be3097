import { BadRequestException, Logger, NotFoundException } from '@nestjs/common';
import { BusUnavailableError } from '@app/bus';
import { OpenAiError } from './openai-error';
import { toOpenAiError } from './to-openai-error';

describe('toOpenAiError', () => {
  let logged: jest.SpyInstance;
  beforeEach(() => {
    logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
  });
  afterEach(() => {
    logged.mockRestore();
  });

  it('leaves our own errors as they are', () => {
    const error = new OpenAiError(418, 'x', 'm');
    expect(toOpenAiError(error)).toBe(error);
  });

  it.each([
    ['an unknown route', new NotFoundException('Cannot GET /v1/x'), 404, 'not_found_error'],
    ['a bad request of the framework', new BadRequestException('bad'), 400, 'invalid_request_error'],
    ['a body over the limit', Object.assign(new Error('x'), { statusCode: 413 }), 413, 'invalid_request_error'],
    ['a body that broke off', Object.assign(new Error('x'), { statusCode: 400 }), 400, 'invalid_request_error'],
    ['too many requests', Object.assign(new Error('x'), { statusCode: 429 }), 429, 'rate_limit_error'],
    ['a bus that is away', new BusUnavailableError('x'), 503, 'server_error'],
    ['a failure of the framework', Object.assign(new Error('x'), { statusCode: 500 }), 500, 'server_error'],
    ['an error of ours that nobody caught', new TypeError('x'), 500, 'server_error'],
    ['something that is no error', 'x', 500, 'server_error'],
    ['nothing', undefined, 500, 'server_error'],
  ])('puts %s into the envelope', (_what, error, status, type) => {
    expect(toOpenAiError(error)).toMatchObject({ status, type });
  });

  it('tells clients to come back when the bus is away', () => {
    expect(toOpenAiError(new BusUnavailableError('x')).headers).toEqual({ 'retry-after': '2' });
  });

  it('logs what is not expected, and tells the client nothing of it', () => {
    const { body } = toOpenAiError(new TypeError('pool 10.0.0.3 exploded'));
    expect(body.error.message).toBe('internal error');
    expect(logged).toHaveBeenCalledTimes(1);
    expect(String(logged.mock.calls[0]?.[0])).toContain('TypeError');
  });

  it('logs nothing for a client’s mistake', () => {
    toOpenAiError(new NotFoundException());
    toOpenAiError(new OpenAiError(400, null, 'm'));
    expect(logged).not.toHaveBeenCalled();
  });

  it('never logs what was to be parsed, which may be a conversation', () => {
    let quoting: unknown;
    try {
      JSON.parse('my secret');
    } catch (error) {
      quoting = error;
    }
    expect((quoting as Error).message).toContain('secret');
    toOpenAiError(quoting);
    expect(JSON.stringify(logged.mock.calls)).not.toContain('secret');
  });
});
