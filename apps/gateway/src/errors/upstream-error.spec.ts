import { ClientGoneError, UpstreamTimeoutError, UpstreamUnreachableError } from '@app/engines';
import { OpenAiError } from './openai-error';
import { upstreamError } from './upstream-error';

describe('upstreamError', () => {
  it.each([
    ['no connection in time', new UpstreamTimeoutError('connect', 5), 504, 'upstream_connect_timeout'],
    ['no first byte in time', new UpstreamTimeoutError('first_byte', 300), 504, 'upstream_first_byte_timeout'],
    ['no further byte in time', new UpstreamTimeoutError('idle', 120), 504, 'upstream_idle_timeout'],
    ['no connection', new UpstreamUnreachableError('the model could not be reached'), 502, 'upstream_unreachable'],
    ['a connection that broke', new Error('other side closed'), 502, 'upstream_ended_early'],
    ['something that is no error', 'x', 502, 'upstream_ended_early'],
    ['a client that is gone', new ClientGoneError('gone'), 499, 'client_gone'],
  ])('%s', (_what, error, status, code) => {
    const told = upstreamError(error, 'turn-1');
    expect(told).toMatchObject({ status, code, cause: error });
  });

  it('leaves our own errors as they are', () => {
    const error = new OpenAiError(400, null, 'm');
    expect(upstreamError(error, 'turn-1')).toBe(error);
  });

  it('names the turn and not the inner workings', () => {
    const told = upstreamError(new Error('connect ECONNREFUSED 10.0.0.3:30010'), 'turn-1');
    expect(told.message).toContain('turn-1');
    expect(told.message).not.toContain('10.0.0.3');
  });

  it('says how long it has waited', () => {
    expect(upstreamError(new UpstreamTimeoutError('idle', 120), 't').message).toContain('120 s');
  });
});
