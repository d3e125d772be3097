import { headers, type Msg } from '@nats-io/transport-node';
import type { StoredMsg } from '@nats-io/jetstream';
import { Reader, type AskLeader } from './reader';
import type { Requests } from './requests';

const answer = (code: number, fields: Record<string, string> = {}): Msg => {
  const head = code === 0 ? headers() : headers(code, 'from a copy');
  for (const [name, value] of Object.entries(fields)) head.set(name, value);
  return { headers: head, data: new Uint8Array([1]) } as unknown as Msg;
};

const readerOf = (reply: Msg, askLeader: AskLeader): Reader =>
  new Reader({ ask: () => Promise.resolve(reply) } as unknown as Requests, askLeader);

const nobody: AskLeader = () => Promise.reject(new Error('the leader was asked'));

describe('the reader', () => {
  it('believes a copy that has the message', async () => {
    const reader = readerOf(answer(0, { 'Nats-Subject': 'a.b', 'rl-info': '{}' }), nobody);
    await expect(reader.read('RL_TURNS', { seq: 1 })).resolves.toEqual({
      subject: 'a.b',
      info: '{}',
      data: new Uint8Array([1]),
    });
  });

  it('asks the leader for what a copy does not have yet', async () => {
    const header = headers();
    header.set('rl-info', '{"from":"leader"}');
    const stored = { subject: 'a.b', header, data: new Uint8Array([2]) } as unknown as StoredMsg;
    const asked: unknown[] = [];
    const reader = readerOf(answer(404), (...query) => {
      asked.push(query);
      return Promise.resolve(stored);
    });
    await expect(reader.read('RL_TURNS', { last_by_subj: 'a.b' })).resolves.toEqual({
      subject: 'a.b',
      info: '{"from":"leader"}',
      data: new Uint8Array([2]),
    });
    expect(asked).toEqual([['RL_TURNS', { last_by_subj: 'a.b' }]]);
  });

  it('says that there is no message where the leader has none', async () => {
    await expect(readerOf(answer(404), () => Promise.resolve(null)).read('RL_TURNS', { seq: 1 })).resolves.toBeNull();
  });

  it('takes no other refusal for an absence', async () => {
    await expect(readerOf(answer(408), nobody).read('RL_TURNS', { seq: 1 })).rejects.toThrow(
      'RL_TURNS cannot be read: from a copy',
    );
  });
});
