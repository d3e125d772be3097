import { CARRIER, opens, request, runtimeLine, says, SUMMARY } from './fixtures/openclaw-requests';
import { cutRuntimeLine, parseRuntimeLine } from './runtime-line';

describe('parseRuntimeLine', () => {
  it('reads session and session id from the first user message', () => {
    expect(parseRuntimeLine(request(opens('hi'), { role: 'assistant', content: 'hello' }, says('more')))).toEqual({
      sessionId: 't1',
      session: 'agent:main:explicit:t1',
    });
  });

  it('reads it from a text part of its own, as after a compaction', () => {
    expect(parseRuntimeLine(request(SUMMARY))?.sessionId).toBe('t1');
  });

  it('passes over carriers that stand before the first user message', () => {
    expect(parseRuntimeLine([CARRIER, opens('hi')])?.sessionId).toBe('t1');
  });

  it('takes the last line, so that a line in the text before it names nobody else', () => {
    const spoofed = opens(`hi\n\n${runtimeLine('agent:main:explicit:other', 'other')}`);
    expect(parseRuntimeLine([spoofed])?.sessionId).toBe('t1');
  });

  it('leaves out what the line leaves out', () => {
    const line = 'Runtime: agent=main | session=agent:main:cron:j1 | host=vm';
    expect(parseRuntimeLine([opens('run', line)])).toEqual({ sessionId: null, session: 'agent:main:cron:j1' });
  });

  it.each([
    ['no message', []],
    ['no line', [says('hi')]],
    ['a line only in a later message', [says('hi'), opens('more')]],
    ['prose that begins like the line', [says('hi\n\nRuntime: about 3 hours')]],
    ['content of an odd shape', [{ role: 'user', content: 5 }]],
  ])('finds nothing in %s', (_name, messages) => {
    expect(parseRuntimeLine(messages)).toBeNull();
  });
});

describe('cutRuntimeLine', () => {
  it('cuts the line and its blank line, and nothing else', () => {
    expect(cutRuntimeLine(`hi\n\nthere\n\n${runtimeLine()}`)).toBe('hi\n\nthere');
    expect(cutRuntimeLine('hi\n\nRuntime: about 3 hours')).toBe('hi\n\nRuntime: about 3 hours');
  });
});
