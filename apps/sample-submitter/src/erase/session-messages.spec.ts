import { rootSessionKey } from '@app/contracts';
import { SessionMessages, turnIdOf } from './session-messages';

const message = (subject: string, info: Record<string, unknown>) => ({ subject, info: JSON.stringify(info) });
const arrived = (turnId: string, names: Record<string, string> = {}) =>
  message(`rl.turn.arrived.v1.${turnId}`, { turnId, ...names });
const followed = (turnId: string, session: string) => message(`rl.turn.followed.v1.${turnId}`, { turnId, session });

const oursOf = (session: string, messages: { subject: string; info: string }[], places: [string, string][] = []) => {
  const ours = new SessionMessages(session);
  for (const each of messages) ours.learn(each);
  for (const [turnId, place] of places) ours.place(turnId, place);
  return messages.filter((each) => ours.isOurs(each)).map(({ subject }) => subject);
};

describe('SessionMessages', () => {
  it('finds every kind of message of a named turn', () => {
    const messages = [
      arrived('a', { namedSession: 's' }),
      message('rl.turn.completed.v1.a', { turnId: 'a', namedSession: 's' }),
      followed('a', 's'),
      message('rl.turn.judged.v1.a', { turnId: 'a', session: 's' }),
      message('rl.turn.settled.v1.a', { turnId: 'a' }),
      message('rl.feedback.given.v1.a.f', { turnId: 'a' }),
      message('rl.dead.letter.v1.prm-judge.a', { app: 'prm-judge', subject: 'rl.turn.judged.v1.a' }),
      message('rl.session.ended.v1.s.1', { session: 's' }),
      message('rl.session.closed.v1.r', { session: 's' }),
    ];
    expect(oursOf('s', messages)).toHaveLength(messages.length);
    expect(oursOf('other', messages)).toEqual([]);
  });

  it('takes the turns that the tracker has put there, and those whose request named it', () => {
    const messages = [
      arrived('a', { runtimeSession: 's' }),
      arrived('b', { namedSession: 'other', runtimeSession: 's' }),
      arrived('c', { namedSession: 'other' }),
      followed('a', 'chain'),
    ];
    const ofA = ['rl.turn.arrived.v1.a', 'rl.turn.followed.v1.a'];
    expect(oursOf('s', messages)).toEqual(['rl.turn.arrived.v1.a', 'rl.turn.arrived.v1.b', 'rl.turn.followed.v1.a']);
    expect(oursOf('chain', messages)).toEqual(ofA);
    expect(oursOf('chain', messages, [['c', 'chain']])).toEqual([
      'rl.turn.arrived.v1.a',
      'rl.turn.arrived.v1.c',
      ofA[1],
    ]);
  });

  it('takes a turn that nothing is known of for a session of its own', () => {
    expect(oursOf(rootSessionKey('a'), [arrived('a'), arrived('b')])).toEqual(['rl.turn.arrived.v1.a']);
  });

  it('does not stumble over what is not ours', () => {
    expect(oursOf('s', [{ subject: 'rl.turn.arrived.v1.a', info: 'not JSON' }])).toEqual([]);
    expect(turnIdOf({ info: '' })).toBeNull();
  });
});
