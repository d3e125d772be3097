import fc from 'fast-check';
import { SessionClosed, scopeOf, sessionKey, TurnSettled } from '@app/contracts';
import { until } from '@app/testing';
import { startSubmitter, type Submitter } from '../integration/submitter-harness';
import type { TestGateway } from '../support/start-gateway';
import { jsonText, ODD_TEXTS, sessionId } from './support/arbitraries';
import { ask, type Answer } from './support/ask';
import { countCase, runs } from './support/cases';
import { clientErrorOf, isHealthy, openAiErrorOf } from './support/oracle';
import { answerWith } from './support/stub-upstream';
import { bodyOf, startWorld, type World } from './support/world';

const SUBJECT = /^rl\.(turn|session|feedback)\.[a-z]+\.v1(\.[-\w]{1,64}){1,2}$/;
const LONE_SURROGATE = /\p{Surrogate}/gu;
const ALICE = { authorization: 'Bearer sk-alice' };
const BOB = { authorization: 'Bearer sk-bob' };

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

/** What the gateway answers to a good request, or an error that names the client's fault. */
const check = (answer: Answer, good: number): boolean => {
  if (answer.status === good) return true;
  clientErrorOf(answer);
  return false;
};

describe('our own routes', () => {
  let world: World;
  let gateway: TestGateway;
  let submitter: Submitter;
  let turnId: string;

  beforeAll(async () => {
    world = await startWorld();
    submitter = await startSubmitter(world.nats.url);
    gateway = await world.start({ OPENCLAW_RL_GATEWAY_API_KEYS: 'sk-alice,sk-bob' });
    const answer = answerWith(
      '{"choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}]}',
    );
    turnId = (await world.chat(bodyOf(), { base: gateway.url, headers: ALICE, reply: answer })).turnId!;
    await world.allStored([turnId]);
  });
  afterAll(async () => {
    await submitter.close();
    await world.close();
  });
  afterEach(async () => {
    expect(await isHealthy(gateway.url, ALICE)).toBe(true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  const call = (
    method: string,
    path: string,
    body: Buffer | string = '',
    headers: Record<string, string> = ALICE,
  ): Promise<Answer> => {
    countCase();
    return ask(gateway.url, { method, path, body, headers });
  };
  const members = (texts: Record<string, string>): string =>
    `{${Object.entries(texts)
      .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
      .join(',')}}`;

  it.each(['turn_id', 'session_id', 'score', 'text', 'outcome', 'unknown', '__proto__', 'constructor', 'toString'])(
    'takes feedback with %s of any type, or names it',
    async (field) => {
      for (const text of [...ODD_TEXTS, deep(10), deep(100_000), `"${'x'.repeat(1_000_000)}"`]) {
        const answer = await call(
          'POST',
          '/v1/feedback',
          members({ turn_id: JSON.stringify(turnId), score: '1', [field]: text }),
        );
        if (!check(answer, 202) && answer.status !== 404) {
          expect(openAiErrorOf(answer).param).toMatch(new RegExp(`^(${field}|body)$`));
        }
      }
    },
  );

  it('takes any body for a feedback or for an end, or refuses it', async () => {
    const body = fc.oneof(
      jsonText,
      fc.dictionary(fc.constantFrom('turn_id', 'session_id', 'score', 'text', 'outcome', 'x'), jsonText).map(members),
      fc.string({ unit: 'binary', maxLength: 30 }),
    );
    await fc.assert(
      fc.asyncProperty(body, async (text) => {
        check(await call('POST', '/v1/feedback', text), 202);
        check(await call('POST', '/v1/sessions/s/end', text), 202);
      }),
      runs(300),
    );
  });

  it.each(['', '.', '*', '>', 'a b', 'a.b', '../x', 'x'.repeat(65), 'a\n'])(
    'does not know a turn called %j',
    async (id) => {
      const answer = await call('POST', '/v1/feedback', JSON.stringify({ turn_id: id, score: 1 }));
      expect([400, 404]).toContain(answer.status);
      openAiErrorOf(answer);
    },
  );

  it('names one session alike in bodies, headers and URLs, and puts no name on the bus as it is', async () => {
    const scope = scopeOf({ apiKey: 'sk-alice' });
    const closed = async (): Promise<string[]> => {
      const sessions: string[] = [];
      for await (const { info } of world.bus.scan('RL_TURNS', { filter: SessionClosed.filter })) {
        sessions.push(SessionClosed.decodeInfo({ subject: '', info, data: new Uint8Array() }).session);
      }
      return sessions;
    };
    const keys = new Map<string, [key: string, id: string]>();
    await fc.assert(
      fc.asyncProperty(sessionId, async (id) => {
        const key = sessionKey(scope, id);
        const inBody = await world.chat(bodyOf({ session_id: JSON.stringify(id) }), {
          base: gateway.url,
          headers: ALICE,
        });
        const ended = await call(
          'POST',
          `/v1/sessions/${encodeURIComponent(id.replaceAll(LONE_SURROGATE, ''))}/end`,
          '{}',
        );
        if (!check(inBody.answer, 200)) {
          expect(id).toMatch(/\p{Surrogate}/u);
          return;
        }
        expect(check(ended, 202)).toBe(true);
        expect((JSON.parse(ended.body.toString()) as { session_id: string }).session_id).toBe(id);
        keys.set(inBody.turnId!, [key, id]);
        const header = Buffer.from(id).toString('latin1');
        // What a header cannot carry, or would be cut of its spaces, is named in bodies only.
        if (/^[\t\x20-\x7e\x80-\xff]+$/.test(header) && id.trim() === id && !/:\d+$/.test(id)) {
          for (const name of ['x-session-id', 'x-session-affinity', 'session_id']) {
            const tried = await world.chat(bodyOf(), { base: gateway.url, headers: { ...ALICE, [name]: header } });
            expect(check(tried.answer, 200)).toBe(true);
            keys.set(tried.turnId!, [key, id]);
          }
        }
      }),
      runs(200),
    );
    await world.allStored([...keys.keys()]);
    const arrived = new Map((await world.arrived()).map((info) => [info.turnId, info.namedSession]));
    for (const [turn, [key, id]] of keys) expect([id, arrived.get(turn)]).toEqual([id, key]);
    const ends = new Set(await closed());
    for (const [key] of keys.values()) expect(ends).toContain(key);
    for (const subject of await world.subjects()) expect(subject).toMatch(SUBJECT);
  });

  it('keeps sessions of the same name apart by key, and names that differ in the last of 512 characters', async () => {
    const long = 'x'.repeat(511);
    const names = ['s', `${long}a`, `${long}b`, '\u00e9', 'e\u0301', 'S', 's\u200b'];
    const turns: string[] = [];
    for (const headers of [ALICE, BOB]) {
      for (const name of names) {
        const { turnId: id } = await world.chat(bodyOf({ session_id: JSON.stringify(name) }), {
          base: gateway.url,
          headers,
        });
        turns.push(id!);
      }
    }
    await world.allStored(turns);
    const infos = (await world.arrived()).filter((info) => turns.includes(info.turnId));
    expect(new Set(infos.map((info) => info.namedSession)).size).toBe(turns.length);
  });

  it('refuses a header that is too long to be told apart, and a URL likewise', async () => {
    for (const name of ['x-session-id', 'x-session-affinity', 'session_id']) {
      const { answer, call: forwarded } = await world.chat(bodyOf(), {
        base: gateway.url,
        headers: { ...ALICE, [name]: 'x'.repeat(513) },
      });
      expect(clientErrorOf(answer).param).toBe(name);
      expect(forwarded).toBeUndefined();
    }
    for (const id of ['x'.repeat(513), encodeURIComponent('🦀'.repeat(257))]) {
      expect(clientErrorOf(await call('POST', `/v1/sessions/${id}/end`)).param).toBe('id');
      expect(clientErrorOf(await call('DELETE', `/v1/sessions/${id}`)).param).toBe('id');
    }
    const longest = encodeURIComponent('🦀'.repeat(256));
    expect((await call('POST', `/v1/sessions/${longest}/end`)).status).toBe(202);
  });

  it('lets nobody speak of, or erase, what belongs to another key', async () => {
    const name = 'a.*.> of both';
    const body = bodyOf({ session_id: JSON.stringify(name) });
    const [hers, his] = [
      await world.chat(body, { base: gateway.url, headers: ALICE }),
      await world.chat(body, { base: gateway.url, headers: BOB }),
    ];
    await world.allStored([hers.turnId!, his.turnId!]);
    const feedback = JSON.stringify({ turn_id: hers.turnId, score: -1 });
    expect((await call('POST', '/v1/feedback', feedback, BOB)).status).toBe(404);
    const erased = await call('DELETE', `/v1/sessions/${encodeURIComponent(name)}`, '', BOB);
    expect(erased.status).toBe(200);
    expect((JSON.parse(erased.body.toString()) as { deleted: { messages: number } }).deleted.messages).toBeGreaterThan(
      0,
    );
    const left = (await world.arrived()).map((info) => info.turnId);
    expect(left).toContain(hers.turnId);
    expect(left).not.toContain(his.turnId);
  });

  it.each([
    '*',
    '>',
    '.',
    '..',
    '%2e%2e%2f',
    '%00',
    '%0d%0aset-cookie:a=b',
    '%F0%9F%A6%80',
    '%ff',
    ' ',
    "';drop",
    '__proto__',
  ])('erases and ends a session called %s, and no other', async (id) => {
    const before = await world.subjects();
    const erased = await call('DELETE', `/v1/sessions/${id.replace(' ', '%20')}`, '', BOB);
    if (erased.status === 200) expect(JSON.parse(erased.body.toString())).toMatchObject({ deleted: { messages: 0 } });
    else clientErrorOf(erased);
    expect(Object.keys(erased.headers)).not.toContain('set-cookie');
    expect(await world.subjects()).toEqual(expect.arrayContaining(before));
  });

  describe("the trainer's door", () => {
    const door = (
      method: string,
      path: string,
      body: Buffer | string = '',
      type = 'application/json',
    ): Promise<Answer> => {
      countCase();
      return ask(submitter.url, {
        method,
        path,
        body: method === 'GET' ? '' : body,
        headers: { 'content-type': type },
      });
    };
    const checkDoor = (answer: Answer): boolean => {
      if (answer.status === 200) return true;
      const { error } = JSON.parse(answer.body.toString());
      expect(error).toEqual({ message: expect.any(String), type: expect.any(String), code: expect.any(String) });
      expect(answer.status).toBeLessThan(500);
      return false;
    };

    afterEach(async () => {
      expect((await door('GET', '/healthz')).status).toBe(200);
      expect((await door('POST', '/v1/samples/lease', `{"request_id":"healthy-${Math.random()}"}`)).status).toBe(200);
    });

    it.each(['request_id', 'max', 'min', 'wait_ms', 'lease_ms', 'trainer', 'unknown', '__proto__', 'constructor'])(
      'takes %s of any type, or names it',
      async (field) => {
        let n = 0;
        for (const text of [...ODD_TEXTS, deep(100_000), `"${'x'.repeat(100_000)}"`, '4096', '1e2']) {
          n += 1;
          const body = members({ request_id: `"${field}-${n}"`, wait_ms: '0', [field]: text });
          // A wait that is allowed may last; the odd texts hold none above 4096 ms.
          checkDoor(await door('POST', '/v1/samples/lease', body));
          checkDoor(await door('POST', '/v1/samples/leases/none/ack', body));
          checkDoor(await door('POST', '/v1/samples/leases/none/extend', body));
        }
      },
    );

    it('takes any body, or refuses it', async () => {
      const body = fc.oneof(
        jsonText,
        fc.string({ unit: 'binary', maxLength: 30 }),
        fc.dictionary(fc.constantFrom('request_id', 'max', 'x'), jsonText).map(members),
      );
      await fc.assert(
        fc.asyncProperty(
          body,
          fc.constantFrom('lease', 'leases/x/ack', 'leases/x/nack', 'leases/x/extend'),
          async (text, path) => {
            checkDoor(await door('POST', `/v1/samples/${path}`, text));
          },
        ),
        runs(300),
      );
    });

    it.each<[string, Buffer | string]>([
      ['nothing', ''],
      ['30 MB', Buffer.alloc(30_000_000, 0x20)],
      ['invalid UTF-8', Buffer.from([...Buffer.from('{"request_id":"a'), 0xff, ...Buffer.from('"}')])],
      ['a BOM', '\uFEFF{"request_id":"bom"}'],
      ['twice the same field', '{"request_id":"a","request_id":5}'],
    ])('survives a body of %s', async (_, body) => {
      checkDoor(await door('POST', '/v1/samples/lease', body));
    });

    it.each(['text/plain', 'x', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16'])(
      'survives a body of type %s',
      async (type) => {
        checkDoor(await door('POST', '/v1/samples/lease', '{"request_id":"typed"}', type));
      },
    );

    it.each([
      '*',
      '>',
      '..',
      '%00',
      '%2f',
      '%zz',
      '%ff',
      '__proto__',
      'constructor',
      'toString',
      'x'.repeat(99),
      'x'.repeat(5000),
    ])('knows no lease called %s', async (id) => {
      expect(checkDoor(await door('POST', `/v1/samples/leases/${id}/ack`, '{"request_id":"who"}'))).toBe(false);
    });

    it.each(['/', '/v1', '/v1/samples', '/v1/samples/leases', '/v1/__proto__', '/v1/%zz', '//'])(
      'has nothing at %s',
      async (path) => {
        for (const method of ['GET', 'POST', 'DELETE']) expect(checkDoor(await door(method, path, '{}'))).toBe(false);
      },
    );
  });

  it('has settled nothing twice and lost nothing by all this', async () => {
    const settled = await until(() => world.bus.read(TurnSettled, turnId), { what: 'the rated turn is settled' });
    expect(settled.info.turnId).toBe(turnId);
  });
});
