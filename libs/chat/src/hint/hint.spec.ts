import fc from 'fast-check';
import golden from '../fixtures/hints.json';
import { isInternalContext } from '../internal-context';
import { appendHint } from './append-hint';
import { parseHint, parseHintJson, type HintVote } from './parse-hint';
import { selectHint } from './select-hint';
import { splitSentences } from './split-sentences';

describe('parseHint', () => {
  it.each(golden.parsed)('$name', ({ text, vote }) => {
    expect(parseHint(text)).toEqual(vote);
  });

  it('does not read thoughts', () => {
    const thought = '<think>\\boxed{1} [HINT_START]not this one, surely[HINT_END]</think>';
    expect(parseHint(`${thought}\\boxed{-1}`)).toEqual({ decision: -1, hint: '' });
    expect(parseHint(`${thought}\\boxed{1}`)).toEqual({ decision: 1, hint: '' });
    expect(parseHint('<think>cut off \\boxed{1}[HINT_START]a hint in a thought[HINT_END]')).toBeNull();
  });
});

describe('parseHintJson', () => {
  it.each([
    [
      '{"reason": "r", "decision": 1, "hint": " Check the file first. "}',
      { decision: 1, hint: 'Check the file first.' },
    ],
    ['{"decision": -1, "hint": "not to be used"}', { decision: -1, hint: '' }],
    ['{"decision": 1}', { decision: 1, hint: '' }],
    ['{"decision": 0, "hint": "x"}', null],
    ['{"decision": "1", "hint": "x"}', null],
    ['[1]', null],
    ['\\boxed{1}', null],
  ])('%s', (text, vote) => {
    expect(parseHintJson(text)).toEqual(vote);
  });
});

describe('selectHint', () => {
  it.each(golden.selected)('$name', ({ votes, index }) => {
    expect(selectHint(votes as HintVote[])).toBe(index);
  });
});

describe('appendHint', () => {
  it.each(golden.appended)('$name', ({ messages, hint, result }) => {
    const before = JSON.stringify(messages);
    expect(appendHint(messages as { role: string }[], hint)).toEqual(result);
    expect(JSON.stringify(messages)).toBe(before);
  });

  it('passes over what a client has added in the name of the user', () => {
    const carrier = {
      role: 'user',
      content: '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nmemory\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>',
    };
    expect(isInternalContext(carrier)).toBe(true);
    const said = { role: 'user', content: 'make a table' };
    expect(appendHint([said, carrier], 'Make a list.')).toEqual([
      { role: 'user', content: "make a table\n\n[user's hint / instruction]\nMake a list." },
      carrier,
    ]);
  });
});

describe('splitSentences', () => {
  it.each([
    ['Read the file first. Then answer!', ['Read the file first. ', 'Then answer!']],
    ['Use v1.2 of "x." Not more', ['Use v1.2 of "x." ', 'Not more']],
    ['先读文件。再回答。', ['先读文件。', '再回答。']],
    ['one\n\ntwo', ['one\n\n', 'two']],
    ['', []],
  ])('%j', (text, sentences) => {
    expect(splitSentences(text)).toEqual(sentences);
  });

  it('loses nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '.', ' ', '\n', '!', '"', '。', '😀') }), (text) => {
        expect(splitSentences(text).join('')).toBe(text);
      }),
    );
  });
});
