import { hashAnswer } from './chain';
import type { ChatMessage } from './chat-message';
import { countAnswers, describeConversation } from './conversation';
import {
  answers,
  calls,
  CARRIER,
  CONTINUE,
  HEARTBEAT_TEXT,
  opens,
  prompts,
  QUEUED,
  request,
  retries,
  returns,
  runtimeLine,
  says,
  STAMP,
  STRING_CARRIER,
  SUMMARY,
  SYSTEM,
} from './fixtures/openclaw-requests';

const extendChain = (promptChain: string, response: ChatMessage): string =>
  hashAnswer({ promptChain, promptEnd: null }, response).chain;
const hashExchange = (promptEnd: string, response: ChatMessage): string | null =>
  hashAnswer({ promptChain: '', promptEnd }, response).exchange;
const hashResponse = (response: ChatMessage): string =>
  hashAnswer({ promptChain: '', promptEnd: null }, response).response;

const SCOPE = 'scope-a';
const describeRequest = (...messages: readonly ChatMessage[]) => describeConversation(request(...messages), SCOPE);

/** Asserts that the second request continues the answer that the engine gave to the first. */
const expectContinues = (
  first: readonly ChatMessage[],
  response: ChatMessage,
  second: readonly ChatMessage[],
): void => {
  const continuing = describeConversation(second, SCOPE);
  const { promptChain, promptEnd } = describeConversation(first, SCOPE);
  expect(continuing.parentChain).toBe(extendChain(promptChain, response));
  expect(continuing.parentExchange).toBe(hashExchange(promptEnd!, response));
};

describe('describeConversation', () => {
  it('finds no parent and no next state in a first turn', () => {
    expect(describeRequest(opens('hello'))).toMatchObject({
      parentChain: null,
      parentExchange: null,
      parentResponse: null,
      nextState: [],
      nextStateRole: null,
      isRetry: false,
    });
  });

  it('follows a second user turn to the answer before it', () => {
    const second = request(opens('hello'), answers('Reply number 1.'), says('what did you say before?'));
    expectContinues(request(opens('hello')), answers('Reply number 1.'), second);
    expect(describeConversation(second, SCOPE)).toMatchObject({
      nextState: [says('what did you say before?')],
      nextStateRole: 'user',
      isRetry: false,
    });
  });

  it('follows a tool loop whose ids come back stripped, and the turn after it', () => {
    const result = returns('callab1', 'tool-ran\n2026');
    const second = request(opens('run echo'), calls('callab1'), result);
    expectContinues(request(opens('run echo')), calls('call_ab1'), second);
    expect(describeConversation(second, SCOPE)).toMatchObject({ nextState: [result], nextStateRole: 'tool' });

    const third = request(opens('run echo'), calls('callab1'), result, answers('Done.'), says('thanks'));
    expectContinues(second, answers('Done.'), third);
    expect(describeConversation(third, SCOPE).nextState).toEqual([says('thanks')]);
  });

  it('gives the same hashes whether contents are strings or lists of parts', () => {
    const asParts = (message: ChatMessage): ChatMessage => ({
      ...message,
      content: [{ type: 'text', text: message.content }],
    });
    const strings = describeConversation([SYSTEM, opens('hi'), answers('yes'), says('more'), STRING_CARRIER], SCOPE);
    const parts = [SYSTEM, opens('hi'), answers('yes'), says('more')].map(asParts);
    const described = describeConversation([...parts, CARRIER], SCOPE);
    expect(described).toMatchObject({ promptChain: strings.promptChain, parentChain: strings.parentChain });
    expect(described.nextState).toEqual([asParts(says('more'))]);
  });

  it('is broken by a compaction, after which the answer alone still leads to the parent', () => {
    const before = describeRequest(opens('hello'), answers('one'), says('second'));
    const after = describeRequest(SUMMARY, answers('two'), says('third'));
    expect(after.parentChain).not.toBe(extendChain(before.promptChain, answers('two')));
    expect(after.parentResponse).toBe(hashResponse(answers('two')));
    expect(after.nextState).toEqual([says('third')]);
    expectContinues(
      request(SUMMARY, answers('two'), says('third')),
      answers('three'),
      request(SUMMARY, answers('two'), says('third'), answers('three'), says('fourth')),
    );
  });

  it('gives no answer alone where anything but a summary stands before it', () => {
    const summaryLater = [opens('hello'), answers('one'), SUMMARY, answers('two'), says('third')];
    for (const messages of [
      [opens('hello'), answers('two'), says('third')],
      [SUMMARY, says('second'), answers('two'), says('third')],
      [SUMMARY, answers('one'), says('second'), answers('two'), says('third')],
      [answers('two'), says('third')],
      summaryLater,
    ]) {
      expect(describeRequest(...messages).parentResponse).toBeNull();
    }
  });

  it('keeps the exchange where the client shortened what was before it, and not where it changed what was asked', () => {
    const result = (text: string) => [opens('list'), calls('c1'), returns('c1', text)];
    const before = describeRequest(...result('a.txt b.txt'), answers('two files'), says('delete one'));
    const tail = [answers('two files'), says('delete one'), answers('Done.'), says('the wrong one!')];
    const pruned = describeRequest(...result('[pruned]'), ...tail);
    expect(pruned.parentChain).not.toBe(extendChain(before.promptChain, answers('Done.')));
    expect(pruned.parentExchange).toBe(hashExchange(before.promptEnd!, answers('Done.')));
    const edited = describeRequest(opens('delete all'), answers('Done.'), says('the wrong one!'));
    expect(edited.parentExchange).not.toBe(pruned.parentExchange);
    expect(describeRequest(answers('Done.'), says('no')).parentExchange).toBeNull();
  });

  describe('with side exchanges in the main session', () => {
    const main = [opens('hello'), answers('hi')];
    const heartbeat = [prompts(HEARTBEAT_TEXT), calls('call1'), returns('call1', 'nothing'), answers('NO_REPLY')];

    it.each([
      ['a heartbeat', heartbeat],
      ['a wake', [prompts('[OpenClaw exec completion]'), answers('It is built.')]],
      [
        'a wake as the model is sent it',
        [prompts('A scheduled reminder has been triggered. The reminder content is:\n\ntea'), answers('Tea!')],
      ],
      ['a memory flush', [prompts('Pre-compaction memory flush. Store memories.'), answers('NO_REPLY')]],
      ['a runtime event', [prompts('Continue the OpenClaw runtime event.'), answers('Noted.')]],
      ['two of them', [...heartbeat, prompts('[OpenClaw cron wake]'), answers('NO_REPLY')]],
    ])('lets the next user turn follow the last main answer after %s', (_name, side) => {
      const second = request(...main, ...side, says('and now?'));
      expectContinues(request(opens('hello')), answers('hi'), second);
      expect(describeConversation(second, SCOPE).nextState).toEqual([says('and now?')]);
      // The client may leave the exchange out of its history: the conversation is the same.
      expect(describeConversation(second, SCOPE)).toEqual(describeRequest(...main, says('and now?')));
    });

    it('takes heartbeats of configured words for heartbeats', () => {
      const own = ['Check the mail'];
      const second = request(...main, prompts('Check the mail.'), answers('NO_REPLY'), says('and now?'));
      const without = request(...main, says('and now?'));
      expect(describeConversation(second, SCOPE, own)).toEqual(describeConversation(without, SCOPE));
      expect(describeConversation(second, SCOPE)).not.toEqual(describeConversation(without, SCOPE));
      expect(countAnswers(second, own)).toBe(1);
      expect(countAnswers(second)).toBe(2);
    });

    it('counts the answers of the conversation only', () => {
      expect(countAnswers(request(opens('hello')))).toBe(0);
      expect(countAnswers(request(...main, ...heartbeat, says('and now?')))).toBe(1);
      expect(countAnswers(request(...main, says('go on'), calls('call1'), returns('call1', 'done')))).toBe(2);
    });

    it('takes neither a heartbeat nor its tool results as the next state of the main answer', () => {
      expect(describeRequest(...main, prompts(HEARTBEAT_TEXT))).toMatchObject({ nextState: [], nextStateRole: null });
      expect(describeRequest(...main, ...heartbeat.slice(0, 3))).toMatchObject({ nextState: [], nextStateRole: null });
    });

    it('finds the first user turn after a heartbeat that opened the session', () => {
      const opening = prompts(`${HEARTBEAT_TEXT}\n\n${runtimeLine('agent:main:main')}`);
      const after = describeRequest(opening, answers('NO_REPLY'), says('hello'));
      expect(after).toMatchObject({ parentChain: null, nextState: [] });
      expect(after.promptChain).toBe(describeRequest(opens('hello')).promptChain);
    });
  });

  describe('with several messages after the answer', () => {
    it('gives all parallel tool results in order', () => {
      const results = [returns('c1', 'FIRST ERROR permission denied'), returns('c2', 'SECOND OK')];
      expect(describeRequest(opens('run'), calls('c1', 'c2'), ...results)).toMatchObject({
        nextState: results,
        nextStateRole: 'tool',
      });
    });

    it('is not hidden by a trailing system note', () => {
      const note = { role: 'system', content: 'REMINDER' };
      const messages = [opens('hi'), answers('no'), says('that is wrong'), note];
      expect(describeConversation(messages, SCOPE)).toMatchObject({
        nextState: [says('that is wrong')],
        nextStateRole: 'user',
      });
      expect(describeConversation(messages, SCOPE)).toEqual(describeConversation(messages.slice(0, 3), SCOPE));
    });

    it('has the role of the user when a user speaks beside tool results', () => {
      const followers = [returns('c1', 'ok'), says('stop, not that one')];
      expect(describeRequest(opens('run'), calls('c1'), ...followers)).toMatchObject({
        nextState: followers,
        nextStateRole: 'user',
      });
    });

    it('passes over carriers between tool results and a steering user', () => {
      const messages = [SYSTEM, opens('run'), calls('c1'), returns('c1', 'ok'), CARRIER, says('faster')];
      expect(describeConversation(messages, SCOPE).nextState).toEqual([returns('c1', 'ok'), says('faster')]);
    });

    it('cuts the client’s own additions out of what the user said', () => {
      const block = STRING_CARRIER.content as string;
      const messages = [answers('hi'), { role: 'user', content: `no!\n\n${block}\n\n${runtimeLine()}`, name: 'ann' }];
      expect(describeConversation(messages, SCOPE).nextState).toEqual([{ role: 'user', content: 'no!', name: 'ann' }]);
    });
  });

  it('leaves a line that a user writes later as it is', () => {
    const quoting = says(`what does this mean?\n\n${runtimeLine('agent:main:other', 'other')}`);
    expect(describeRequest(opens('hello'), answers('hi'), quoting).nextState).toEqual([quoting]);
  });

  describe('with a retry', () => {
    it('does not take the rewritten prompt as feedback', () => {
      expect(describeRequest(opens('hello'), answers('hi'), retries('and now?'))).toMatchObject({
        nextStateRole: 'user',
        isRetry: true,
      });
      for (const text of [CONTINUE, '[System] Your previous turn was interrupted by a gateway restart.']) {
        expect(describeRequest(opens('hello'), answers('hi'), prompts(text)).isRetry).toBe(true);
      }
    });

    it('belongs to the conversation that the failed call belonged to', () => {
      const failed = request(opens('hello'), answers('hi'), says('and now?'));
      const retry = request(opens('hello'), answers('hi'), retries('and now?'));
      expect(describeConversation(retry, SCOPE).promptChain).toBe(describeConversation(failed, SCOPE).promptChain);
      for (const kept of [says('and now?'), retries('and now?')]) {
        expectContinues(
          retry,
          answers('done'),
          request(opens('hello'), answers('hi'), kept, answers('done'), says('thanks')),
        );
      }
    });

    it('leaves the tool results of an interrupted loop as the next state', () => {
      const interrupted = describeRequest(opens('run'), calls('c1'), returns('c1', 'ok'), prompts(CONTINUE));
      expect(interrupted).toMatchObject({ nextState: [returns('c1', 'ok')], nextStateRole: 'tool', isRetry: false });
      expect(interrupted).toEqual(describeRequest(opens('run'), calls('c1'), returns('c1', 'ok')));
    });

    it('takes a new message joined to an unanswered one as feedback', () => {
      const joined = says(`${QUEUED}\nand now?\n\n${STAMP}forget it, this was wrong`);
      expect(describeRequest(opens('hello'), answers('hi'), joined)).toMatchObject({
        nextState: [joined],
        isRetry: false,
      });
    });
  });

  describe('with branches', () => {
    it('gives a regenerated answer the same prompt and another chain', () => {
      const prompt = describeRequest(opens('hello')).promptChain;
      const first = describeRequest(opens('hello'), answers('one'), says('go on'));
      const second = describeRequest(opens('hello'), answers('two'), says('go on'));
      expect(first.parentChain).toBe(extendChain(prompt, answers('one')));
      expect(second.parentChain).toBe(extendChain(prompt, answers('two')));
      expect(first.parentChain).not.toBe(second.parentChain);
    });

    it('lets an edited message follow the same answer on a chain of its own', () => {
      const original = describeRequest(opens('hello'), answers('one'), says('go on'));
      const edited = describeRequest(opens('hello'), answers('one'), says('go back'));
      expect(edited.parentChain).toBe(original.parentChain);
      expect(edited.promptChain).not.toBe(original.promptChain);
    });

    it('does not find a changed history', () => {
      const edited = describeRequest(opens('goodbye'), answers('one'), says('go on'));
      expect(edited.parentChain).not.toBe(extendChain(describeRequest(opens('hello')).promptChain, answers('one')));
    });
  });

  it('keeps the conversations of two scopes apart', () => {
    const messages = request(opens('hello'), answers('hi'), says('more'));
    const [a, b] = ['scope-a', 'scope-b'].map((scope) => describeConversation(messages, scope));
    expect(a?.promptChain).not.toBe(b?.promptChain);
    expect(a?.parentChain).not.toBe(b?.parentChain);
  });

  it('makes hashes that are safe in subjects and keys', () => {
    const { parentChain, parentExchange, parentResponse, promptChain, promptEnd } = describeRequest(
      SUMMARY,
      answers('b'),
      says('c'),
    );
    for (const hash of [parentChain, parentExchange, parentResponse, promptChain, promptEnd])
      expect(hash).toMatch(/^[-\w]{32}$/);
  });
});
