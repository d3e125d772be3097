import { TurnSettled } from '@app/contracts';
import { NotYetError } from './errors';
import { publishSpan, workSpan } from './message-spans';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const delivery = { info: '', data: new Uint8Array(), sequence: 1, deliveries: 3 };

describe('publishSpan', () => {
  it.each([
    ['rl.turn.settled.v1.t-1', 'publish turn.settled', 't-1', 'rl.turn.settled.v1'],
    ['rl.feedback.given.v1.t-2.f-1', 'publish feedback.given', 't-2', 'rl.feedback.given.v1'],
    ['rl.session.ended.v1.s-1.0', 'publish session.ended', undefined, 'rl.session.ended.v1'],
    ['something else', 'publish message', undefined, 'something else'],
  ])('names %s and the turn that it is about', (subject, name, turn, destination) => {
    const [called, options] = publishSpan({ subject, info: '', data: new Uint8Array() });
    expect(called).toBe(name);
    expect(options).toMatchObject({ kind: 'producer', turn });
    expect(options.attributes).toMatchObject({ 'messaging.system': 'nats', 'messaging.destination.name': destination });
  });
});

describe('workSpan', () => {
  it('belongs to the span in which the message was published; to none if it says none', () => {
    const subject = TurnSettled.subject('t-1');
    const [name, options] = workSpan({ ...delivery, subject, trace: TRACE });
    expect(name).toBe('process turn.settled');
    expect(options).toMatchObject({ kind: 'consumer', turn: 't-1', parent: TRACE });
    expect(options.attributes?.['openclaw_rl.deliveries']).toBe(3);
    expect(workSpan({ ...delivery, subject })[1].parent).toBeNull();
  });

  it('does not take for a fault that a message came too early', () => {
    const [, { isFault }] = workSpan({ ...delivery, subject: TurnSettled.subject('t-1') });
    expect(isFault?.(new NotYetError('not yet'))).toBe(false);
    expect(isFault?.(new TypeError('x'))).toBe(true);
  });
});
