import { BusUnavailableError, MessageTooLargeError, type PublishResult } from '@app/bus';
import type { EncodedMessage } from '@app/contracts';
import { NO_TRACER } from '@app/tracing';
import { Outbox, type Parcel, type Publisher } from './outbox';

const message = (name: string, bytes = 10): EncodedMessage => ({
  subject: `rl.test.${name}`,
  info: '',
  data: new Uint8Array(bytes),
});
const parcel = (name: string, bytes = 10, ...ifTooLarge: string[]): Parcel => ({
  message: message(name, bytes),
  ifTooLarge: () => ifTooLarge.map((each) => message(each)),
});

/** A bus whose answers the test gives; it notes what it was asked to publish. */
class FakeBus implements Publisher {
  isUp = true;
  /** Largest body it takes. */
  limit = Infinity;
  /** While set, every publish fails. */
  broken = false;
  /** While set, answers wait for `answer()`. */
  held = false;
  readonly asked: string[] = [];
  readonly stored: string[] = [];
  private waiting: (() => void)[] = [];

  async publishEncoded(given: EncodedMessage): Promise<PublishResult> {
    const name = given.subject.replace('rl.test.', '');
    this.asked.push(name);
    if (this.held) await new Promise<void>((resolve) => this.waiting.push(resolve));
    if (given.data.byteLength > this.limit) throw new MessageTooLargeError('too large');
    if (this.broken) throw new BusUnavailableError('away');
    this.stored.push(name);
    return 'stored';
  }

  answer(order: (names: (() => void)[]) => (() => void)[] = (all) => all): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of order(waiting)) resolve();
  }
}

/** What was pushed in one moment is sent at its end. */
const endOfMoment = (): Promise<void> => jest.advanceTimersByTimeAsync(1);

const flushed = async (box: Outbox, timeoutMs: number): Promise<void> => {
  const done = box.flush(timeoutMs);
  await endOfMoment();
  await done;
};

describe('Outbox', () => {
  let bus: FakeBus;
  let dropped: string[];

  const outbox = (maxBytes = 1000): Outbox =>
    new Outbox(bus, { maxBytes, tracer: NO_TRACER, onDropped: (cause) => dropped.push(cause) });
  const names = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate'] });
    bus = new FakeBus();
    dropped = [];
  });
  afterEach(() => jest.useRealTimers());

  it('sends at once, in order, and is empty afterwards', async () => {
    const box = outbox();
    for (const name of names(5)) expect(box.push(parcel(name))).toBe(true);
    expect(box.size).toBe(50);
    await flushed(box, 1000);
    expect(bus.stored).toEqual(names(5));
    expect(box.size).toBe(0);
  });

  it('keeps what the bus does not take now and sends it in order once it is back', async () => {
    bus.isUp = false;
    const box = outbox();
    for (const name of names(100)) box.push(parcel(name));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(bus.asked).toEqual([]);

    bus.isUp = true;
    await jest.advanceTimersByTimeAsync(1000);
    expect(bus.stored).toEqual(names(100));
    expect(dropped).toEqual([]);
  });

  it('sends at once when it is told that the bus is back', async () => {
    bus.isUp = false;
    const box = outbox();
    box.push(parcel('a'));
    bus.isUp = true;
    box.send();
    await flushed(box, 1000);
    expect(bus.stored).toEqual(['a']);
  });

  it('tries again what failed, in the order of arrival however the failures came, and pauses in between', async () => {
    const box = outbox(10_000);
    Object.assign(bus, { held: true, broken: true });
    for (const name of names(200)) box.push(parcel(name));
    await endOfMoment();
    bus.answer((all) => all.reverse());
    await jest.advanceTimersByTimeAsync(100);
    const asked = bus.asked.length;
    expect(asked).toBeLessThan(200);

    Object.assign(bus, { held: false, broken: false });
    await jest.advanceTimersByTimeAsync(1000);
    expect(bus.stored).toEqual(names(200));
    expect(bus.asked.slice(asked)).toEqual(names(200));
    expect(box.size).toBe(0);
  });

  it('says nothing of a turn before what was said of it earlier has been stored', async () => {
    const said = (kind: string, turn: string): Parcel => ({
      message: { subject: `rl.test.${kind}.${turn}`, info: '', data: new Uint8Array(10) },
      ifTooLarge: () => [],
    });
    const box = outbox();
    bus.held = true;
    for (const turn of ['t1', 't2']) for (const kind of ['arrived', 'settled', 'completed']) box.push(said(kind, turn));
    expect(bus.asked).toEqual([]);
    await endOfMoment();
    expect(bus.asked).toEqual(['arrived.t1', 'arrived.t2']);
    bus.broken = true;
    bus.answer();
    await jest.advanceTimersByTimeAsync(10);
    expect(bus.stored).toEqual([]);

    Object.assign(bus, { held: false, broken: false });
    await jest.advanceTimersByTimeAsync(1000);
    for (const turn of ['t1', 't2']) {
      const kinds = bus.stored.filter((name) => name.endsWith(turn)).map((name) => name.split('.')[0]);
      expect(kinds).toEqual(['arrived', 'settled', 'completed']);
    }
    expect(box.size).toBe(0);
  });

  it('does not hammer a bus that is up and refuses', async () => {
    bus.broken = true;
    outbox().push(parcel('a'));
    await jest.advanceTimersByTimeAsync(2000);
    expect(bus.asked.length).toBeGreaterThan(2);
    expect(bus.asked.length).toBeLessThan(20);
  });

  it('never has more than 64 publishes under way', async () => {
    bus.held = true;
    const box = outbox(10_000);
    for (const name of names(200)) box.push(parcel(name));
    await endOfMoment();
    expect(bus.asked).toHaveLength(64);
  });

  it('refuses and counts what does not fit, and takes again when there is room', async () => {
    bus.held = true;
    const box = outbox(100);
    expect(box.push(parcel('a', 60))).toBe(true);
    expect(box.push(parcel('b', 41))).toBe(false);
    expect(box.push(parcel('c', 40))).toBe(true);
    expect(dropped).toEqual(['buffer_full']);

    bus.held = false;
    bus.answer();
    await flushed(box, 1000);
    expect(box.push(parcel('d', 100))).toBe(true);
    await flushed(box, 1000);
    expect(bus.stored).toEqual(['a', 'c', 'd']);
  });

  it('counts the info, which travels beside the body', () => {
    const box = outbox(100);
    bus.isUp = false;
    expect(
      box.push({ message: { subject: 's', info: 'x'.repeat(91), data: new Uint8Array(10) }, ifTooLarge: () => [] }),
    ).toBe(false);
  });

  it('sends the short form of what is too large, also where the buffer was full of it', async () => {
    bus.limit = 50;
    const box = outbox(100);
    box.push(parcel('big', 100, 'small', 'reason'));
    await flushed(box, 1000);
    expect(bus.stored).toEqual(['small', 'reason']);
    expect(dropped).toEqual([]);
    expect(box.size).toBe(0);
  });

  it('says once in which form a parcel is kept, and which turns it has in hand', async () => {
    const fates: string[] = [];
    const told = (name: string, bytes: number): Parcel => ({
      ...parcel(name, bytes, `short-${name}`),
      onFate: (fate) => fates.push(`${name} ${fate}`),
    });
    bus.limit = 50;
    bus.isUp = false;
    const box = outbox();
    box.push(told('large', 100));
    box.push(told('small', 10));
    await jest.advanceTimersByTimeAsync(1000);
    expect(fates).toEqual([]);
    expect([box.holds('large'), box.holds('small'), box.holds('other')]).toEqual([true, true, false]);
    bus.isUp = true;
    await jest.advanceTimersByTimeAsync(1000);
    expect(fates.toSorted()).toEqual(['large too_large', 'small whole']);
    expect([box.holds('large'), box.holds('small')]).toEqual([false, false]);
  });

  it('drops and counts what is too large and has no short form', async () => {
    bus.limit = 5;
    const box = outbox();
    box.push(parcel('big', 10));
    box.push(parcel('small', 5));
    await flushed(box, 1000);
    expect(bus.stored).toEqual(['small']);
    expect(dropped).toEqual(['refused']);
  });

  describe('flush', () => {
    it('is done at once when there is nothing to send', async () => {
      await expect(outbox().flush(1000)).resolves.toBeUndefined();
    });

    it('waits for the short form of what was too large', async () => {
      bus.limit = 50;
      bus.held = true;
      const box = outbox();
      box.push(parcel('big', 100, 'small'));
      let flushed = false;
      const flush = box.flush(10_000).then(() => {
        flushed = true;
      });
      await endOfMoment();
      bus.answer();
      await jest.advanceTimersByTimeAsync(10);
      expect({ flushed, asked: bus.asked }).toEqual({ flushed: false, asked: ['big', 'small'] });
      bus.answer();
      await flush;
      expect(bus.stored).toEqual(['small']);
    });

    it('gives up after its time and keeps what is left', async () => {
      bus.isUp = false;
      const box = outbox();
      box.push(parcel('a'));
      const flush = box.flush(4000);
      await jest.advanceTimersByTimeAsync(4000);
      await flush;
      expect(box.size).toBe(10);
    });
  });
});
