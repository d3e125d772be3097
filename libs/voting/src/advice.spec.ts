import { EngineAnswerError, EngineStatusError, EngineTimeoutError, EngineUnreachableError } from '@app/engines';
import { adviceFor, adviceForForm, Complaints } from './advice';

describe('adviceFor', () => {
  it.each([
    [new EngineStatusError(401), 'server.judge_api_key_env'],
    [new EngineStatusError(403), 'server.judge_api_key_env'],
    [new EngineStatusError(404), 'server.judge_model'],
    [new EngineStatusError(307), 'server.judge_base_url'],
    [new EngineStatusError(402), 'pay'],
    [new EngineStatusError(400), 'judge.max_tokens'],
    [new EngineStatusError(503), 'status 503'],
    [new EngineUnreachableError(''), 'server.judge_base_url'],
    [new EngineAnswerError(''), 'server.judge_base_url'],
    [new EngineTimeoutError(60), 'judge.timeout_s'],
  ])('says after %s what to mend: %s', (error, setting) => {
    expect(adviceFor(error, { model: 'm', host: 'h' })).toContain(setting);
  });

  it('tells an answer that was cut off from one in another form', () => {
    expect(adviceForForm({ text: '', finishReason: 'length' })).toContain('judge.max_tokens');
    expect(adviceForForm({ text: 'fine', finishReason: 'stop' })).toContain('judge.format');
  });
});

describe('Complaints', () => {
  it('says the same thing once a minute', () => {
    const complaints = new Complaints();
    const taken = [0, 59_999, 60_000, 60_001].map((now) => complaints.take('a', now));
    expect(taken).toEqual([true, false, true, false]);
    expect(complaints.take('b', 60_001)).toBe(true);
  });
});
