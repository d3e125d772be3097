import { Type } from '@sinclair/typebox';
import { FrameError } from './frame';
import { defineMessage, MessageShapeError, type WireMessage } from './message';

const Greeted = defineMessage({
  subject: 'rl.test.greeted.v1',
  stream: 'RL_TURNS',
  info: Type.Object({ name: Type.String({ pattern: '^[a-z]+$' }), count: Type.Optional(Type.Integer({ minimum: 1 })) }),
  body: Type.Object({ words: Type.Array(Type.String()) }),
});

const thrown = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new TypeError('nothing was thrown');
};

describe('a message', () => {
  it('comes back as it was published, its info beside its body', () => {
    const encoded = Greeted.encode(
      ['a'],
      { name: 'ada', count: 2 },
      { words: ['hi', 'é'] },
      { arrays: { ids: Int32Array.of(1, 2) } },
    );
    expect(encoded).toMatchObject({ subject: 'rl.test.greeted.v1.a', info: '{"name":"ada","count":2}' });
    expect(Greeted.decodeInfo({ ...encoded, data: new Uint8Array() })).toEqual({ name: 'ada', count: 2 });
    expect(Greeted.decode(encoded)).toEqual({
      info: { name: 'ada', count: 2 },
      body: { head: { words: ['hi', 'é'] }, arrays: { ids: Int32Array.of(1, 2) } },
    });
  });

  it('keeps fields that a newer version has added', () => {
    const wire: WireMessage = {
      ...Greeted.encode(['a'], { name: 'ada' }, { words: [] }),
      info: '{"name":"ada","later":1}',
    };
    expect(Greeted.decodeInfo(wire)).toEqual({ name: 'ada', later: 1 });
  });

  it.each([
    ['a missing field', {}],
    ['a wrong type', { name: 7 }],
    ['a value against its pattern', { name: 'Ada' }],
    ['a number out of range', { name: 'ada', count: 0 }],
    ['no object', null],
  ])('is not published with %s in its info', (_what, info) => {
    const error = thrown(() => Greeted.encode(['a'], info as { name: string }, { words: [] }));
    expect(error).toBeInstanceOf(MessageShapeError);
    expect(error).toMatchObject({ part: 'info', retryable: false });
  });

  it('is not published with a wrong body', () => {
    const error = thrown(() => Greeted.encode(['a'], { name: 'ada' }, { words: [1] as unknown as string[] }));
    expect(error).toMatchObject({ name: 'MessageShapeError', part: 'body' });
    expect((error as Error).message).toContain('/words/0');
  });

  it('says what is wrong and not what was in it', () => {
    const error = thrown(() => Greeted.encode(['a'], { name: 'My Secret' }, { words: [] }));
    expect((error as Error).message).toMatch(/^message rl\.test\.greeted\.v1: info \/name /);
    expect((error as Error).message).not.toContain('Secret');
  });

  it.each([
    ['no info', ''],
    ['no JSON', '{"name":'],
    ['a wrong info', '{"name":"Ada"}'],
  ])('is refused on receipt with %s', (_what, info) => {
    const wire = { ...Greeted.encode(['a'], { name: 'ada' }, { words: [] }), info };
    for (const read of ['decodeInfo', 'decode'] as const) {
      expect(thrown(() => Greeted[read](wire))).toMatchObject({ name: 'MessageShapeError', part: 'info' });
    }
  });

  it('is refused on receipt with a wrong body, a cut one and none', () => {
    const wire = Greeted.encode(['a'], { name: 'ada' }, { words: [] });
    const Other = defineMessage({
      subject: 'rl.test.other.v1',
      stream: 'RL_TURNS',
      info: Type.Object({}),
      body: Type.Object({ words: Type.String() }),
    });
    expect(thrown(() => Other.decode(wire))).toMatchObject({ name: 'MessageShapeError', part: 'body' });
    expect(thrown(() => Greeted.decode({ ...wire, data: wire.data.subarray(0, 9) }))).toBeInstanceOf(FrameError);
    expect(thrown(() => Greeted.decode({ ...wire, data: new Uint8Array() }))).toBeInstanceOf(FrameError);
  });

  it.each([
    [['a', 'b.c']],
    [['*']],
    [['>']],
    [['a b']],
    [['']],
    [['a', '']],
    [['é']],
    [['x'.repeat(65)]],
    [['a\n']],
    [[]],
  ])('has no subject of %j', (tokens) => {
    expect(thrown(() => Greeted.subject(...tokens))).toMatchObject({ name: 'MessageShapeError', part: 'subject' });
    expect(thrown(() => Greeted.encode(tokens, { name: 'ada' }, { words: [] }))).toMatchObject({ part: 'subject' });
  });

  it('knows its own subjects, and no one else’s', () => {
    expect(Greeted.subject('a', 'b')).toBe('rl.test.greeted.v1.a.b');
    expect(Greeted.filter).toBe('rl.test.greeted.v1.>');
    expect(Greeted.matches('rl.test.greeted.v1.a')).toBe(true);
    for (const other of [
      'rl.test.greeted.v1',
      'rl.test.greeted.v10.a',
      'rl.test.greeted.v2.a',
      'x.rl.test.greeted.v1.a',
    ]) {
      expect(Greeted.matches(other)).toBe(false);
    }
  });
});
