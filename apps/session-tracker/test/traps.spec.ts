import { MAX_DELIVERIES, NotYetError } from '@app/bus';
import { rootSessionKey, SessionEnded, TurnSettled } from '@app/contracts';
import { TurnNotCompletedError } from '../src/feedback/errors';
import { Script, type Event } from './script';
import { ANSWER_MS, IDLE_MS, settingsOf, World } from './world';

describe('the session-tracker', () => {
  let world: World;
  let script: Script;
  beforeEach(() => {
    world = new World();
    script = new Script();
  });

  describe('with a stock client, which sends no headers', () => {
    it('judges every turn of the main line but the last', async () => {
      for (const shape of [{}, { after: 't1' }, { after: 't2', role: 'tool' as const }]) {
        await world.play(...script.turn(`t${world.events.length / 2 + 1}`, { runtime: 'R', ...shape }).both);
      }
      expect(world.followed).toEqual({ t1: 't2', t2: 't3' });
      await world.goQuiet();
      expect(world.settled).toEqual({ t3: 'no_next_state' });
      expect(world.ended).toEqual([{ session: 'R#1', cause: 'idle', withoutNextState: ['t3'], lost: [] }]);
    });

    it('keeps the conversation in one session even where nothing names one', async () => {
      await world.play(...script.turn('t1').both, ...script.turn('t2', { after: 't1' }).both);
      await world.goQuiet();
      expect(world.followed).toEqual({ t1: 't2' });
      expect(world.ended).toHaveLength(1);
    });

    it('ends a session that the lists of all sweeps have left out, in time', async () => {
      await world.play(...script.turn('t1', { runtime: 'R' }).both);
      await world.goQuiet();
      await world.play(...script.turn('t2', { runtime: 'Q' }).both);
      const session = [...world.store.documents.keys()].find((key) =>
        world.store.documents.get(key)!.json.includes('t2'),
      )!;
      world.store.unlisted.add(session);
      await world.play(...script.turn('t3', { runtime: 'P' }).both);
      await world.goQuiet();
      expect(world.settled).toEqual({ t1: 'no_next_state', t3: 'no_next_state' });
      // What came behind it has been listed by now.
      world.store.unlisted.clear();
      await world.goQuiet(undefined, 20);
      expect(world.settled).toEqual({ t1: 'no_next_state', t2: 'no_next_state', t3: 'no_next_state' });
    });

    it('starts the judge when the next request arrives, not when it is answered', async () => {
      await world.play(
        ...script.turn('t1', { runtime: 'R' }).both,
        script.turn('t2', { after: 't1', runtime: 'R' }).arrived,
      );
      expect(world.followed).toEqual({ t1: 't2' });
    });

    it('finds the turn although the next request arrives before its end is known', async () => {
      const [first, second] = [script.turn('t1', { runtime: 'R' }), script.turn('t2', { after: 't1', runtime: 'R' })];
      await world.play(first.arrived, second.arrived);
      expect(world.followed).toEqual({});
      await world.play(first.completed);
      expect(world.followed).toEqual({ t1: 't2' });
    });

    it('lets the chain win over the Runtime line', async () => {
      await world.play(
        ...script.turn('t1', { runtime: 'R' }).both,
        ...script.turn('t2', { after: 't1', runtime: 'other' }).both,
      );
      expect(Object.keys(world.session('R').turns)).toEqual(['t2']);
    });

    it('tells two clients with word for word the same conversation apart by their Runtime lines', async () => {
      for (const client of ['a', 'b'])
        await world.play(...script.turn(`${client}1`, { runtime: client, chain: 'same' }).both);
      for (const client of ['a', 'b']) {
        await world.play(...script.turn(`${client}2`, { after: `${client}1`, runtime: client }).both);
      }
      expect(world.followed).toEqual({ a1: 'a2', b1: 'b2' });
    });

    it('does not mix two programs with the same conversation', async () => {
      await world.play(...script.turn('a1', { chain: 'same', client: 'a' }).both);
      await world.play(...script.turn('b1', { chain: 'same', client: 'b' }).both);
      await world.play(...script.turn('a2', { after: 'a1', client: 'a' }).both);
      expect(world.followed).toEqual({ a1: 'a2' });
      expect(world.session(rootSessionKey('a1')).turns).toHaveProperty('a2');
      await world.play(...script.turn('c2', { after: 'b1', client: 'c' }).both);
      expect(world.followed).toEqual({ a1: 'a2' });
    });

    it('judges both of two clients with the same conversation that nothing tells apart', async () => {
      await world.play(...script.turn('a1', { chain: 'same' }).both, ...script.turn('b1', { chain: 'same' }).both);
      await world.play(...script.turn('a2', { after: 'a1' }).both, ...script.turn('b2', { after: 'b1' }).both);
      expect(Object.keys(world.followed).sort()).toEqual(['a1', 'b1']);
      expect(new Set(Object.values(world.followed)).size).toBe(2);
    });
  });

  describe('with a client that names its sessions', () => {
    it('judges every turn but the last, in parallel sessions with the same words', async () => {
      for (const session of ['A', 'B'])
        await world.play(...script.turn(`${session}1`, { session, chain: 'same' }).both);
      for (const session of ['B', 'A']) {
        await world.play(...script.turn(`${session}2`, { session, after: `${session}1` }).both);
      }
      expect(world.followed).toEqual({ A1: 'A2', B1: 'B2' });
    });

    it('ends with the turn that says so, after its own answer', async () => {
      const first = script.turn('t1', { session: 'S' });
      const last = script.turn('t2', { session: 'S', after: 't1', done: true });
      await world.play(...first.both, last.arrived);
      expect(world.ended).toEqual([]);
      await world.play(last.completed);
      expect(world.followed).toEqual({ t1: 't2' });
      expect(world.ended).toEqual([{ session: 'S#1', cause: 'done', withoutNextState: ['t2'], lost: [] }]);
      expect(world.settled).toEqual({ t2: 'no_next_state' });
    });

    it('does not mix a session with the next one of the same name while its turns are still judged', async () => {
      await world.play(...script.turn('OLD', { session: 'k' }).both);
      await world.play(...script.turn('OLD2', { session: 'k', after: 'OLD', done: true }).both);
      await world.play(...script.turn('NEW', { session: 'k' }).both);
      expect(world.followed).toEqual({ OLD: 'OLD2' });
      expect(world.settled).toEqual({ OLD2: 'no_next_state' });
      expect(world.session('k')).toMatchObject({ state: 'open', incarnation: 2, lastTurn: 'NEW' });
      await world.play(...script.turn('NEW2', { session: 'k', after: 'NEW' }).both);
      expect(world.followed).toEqual({ OLD: 'OLD2', NEW: 'NEW2' });
    });

    it('ends at the client request, with its outcome, once the running answer is there', async () => {
      const first = script.turn('t1', { session: 'S' });
      const running = script.turn('t2', { session: 'S', after: 't1' });
      await world.play(...first.both, running.arrived, script.close('r', 'S', 0.5));
      expect(world.ended).toEqual([]);
      await world.play(running.completed);
      expect(world.ended).toEqual([{ session: 'S#1', cause: 'closed', withoutNextState: ['t2'], lost: [] }]);
      const [end] = [...world.store.messages.values()].filter(({ subject }) => SessionEnded.matches(subject));
      const { outcome, through, endedAt } = SessionEnded.decodeInfo(end!);
      // Up to the request, which came after both turns.
      expect(outcome).toBe(0.5);
      expect(through).toBeGreaterThan(world.session('S').lastTurnAt!);
      expect(endedAt).toBeLessThanOrEqual(Date.now());
    });

    it('keeps an end request that overtakes the turns of its session', async () => {
      world.publish(...script.turn('t1', { session: 'S' }).both, script.close('r', 'S', 1));
      await world.deliver([2, 1, 0]);
      expect(world.ended).toEqual([{ session: 'S#1', cause: 'closed', withoutNextState: ['t1'], lost: [] }]);
    });
  });

  it('does not take a retry for feedback', async () => {
    await world.play(...script.turn('t1').both, ...script.turn('retry', { after: 't1', role: null }).both);
    expect(world.followed).toEqual({});
    await world.play(...script.turn('t2', { after: 't1' }).both);
    expect(world.followed).toEqual({ t1: 't2' });
  });

  it('keeps a heartbeat in the main session out of it: it follows nothing and is not judged', async () => {
    await world.play(...script.turn('t1', { runtime: 'R' }).both);
    await world.play(...script.turn('beat', { runtime: 'R', after: 't1', kind: 'side' }).both);
    await world.play(...script.turn('t2', { runtime: 'R', after: 't1' }).both);
    await world.play(...script.turn('t3', { runtime: 'R', after: 'beat' }).both);
    await world.goQuiet();
    expect(world.followed).toEqual({ t1: 't2' });
    expect(world.settled).toEqual({ beat: 'side_turn', t2: 'no_next_state', t3: 'no_next_state' });
  });

  it('takes a request without tools for a side turn if its client sends tools otherwise', async () => {
    await world.play(...script.turn('t1', { runtime: 'R' }).both);
    await world.play(...script.turn('title', { runtime: 'R', after: 't1', tools: false }).both);
    expect(world.followed).toEqual({});
    expect(world.settled).toEqual({ title: 'side_turn' });
    await world.play(...script.turn('t2', { after: 'title', runtime: 'R' }).both);
    await world.goQuiet();
    expect(world.followed).toEqual({});
    expect(world.settled).toEqual({ title: 'side_turn', t1: 'no_next_state', t2: 'no_next_state' });
  });

  it('says the outcome of a turn that failed, or of a side turn, where its gateway could not', async () => {
    await world.play(...script.turn('t1').both);
    await world.play(...script.turn('failed', { after: 't1', tools: false, exclusion: 'upstream_error' }).both);
    await world.play(...script.turn('side', { kind: 'side', tools: false }).both);
    await world.goQuiet();
    expect(world.settled).toEqual({ t1: 'no_next_state', failed: 'upstream_error', side: 'side_turn' });
  });

  it('lets the outcome stand that the gateway said, and does not count it again', async () => {
    const said = {
      turnId: 't1',
      kind: 'reason',
      reason: 'incomplete',
      detail: 'several_choices',
      settledAt: 1,
    } as const;
    const outcome = TurnSettled.encode(['t1'], said, {});
    world.store.messages.set(outcome.subject, outcome);
    await world.play(...script.turn('t1', { exclusion: 'incomplete' }).both);
    expect(world.store.messages.get(outcome.subject)).toBe(outcome);
    expect((await world.telemetry.metrics.turnsSettled.get()).values).toEqual([]);
  });

  it('judges a client that never sends tools', async () => {
    await world.play(
      ...script.turn('t1', { tools: false }).both,
      ...script.turn('t2', { tools: false, after: 't1' }).both,
    );
    expect(world.followed).toEqual({ t1: 't2' });
  });

  it.each(['undelivered', 'upstream_error', 'incomplete'] as const)(
    'never has a turn judged that is %s',
    async (exclusion) => {
      await world.play(...script.turn('t1', { runtime: 'R', exclusion }).both);
      await world.play(...script.turn('t2', { runtime: 'R', after: 't1' }).both);
      await world.goQuiet();
      expect(world.followed).toEqual({});
      expect(world.settled).toEqual({ t1: exclusion, t2: 'no_next_state' });
    },
  );

  it('has a turn without token ids judged: it is collected', async () => {
    await world.play(
      ...script.turn('t1', { exclusion: 'no_token_ids' }).both,
      ...script.turn('t2', { after: 't1' }).both,
    );
    expect(world.followed).toEqual({ t1: 't2' });
  });

  it('takes the answer that was delivered where the same one was lost on its way before', async () => {
    await world.play(...script.turn('lost', { chain: 'same', exclusion: 'undelivered' }).both);
    await world.play(...script.turn('again', { chain: 'same' }).both, ...script.turn('t2', { after: 'again' }).both);
    expect(world.followed).toEqual({ again: 't2' });
  });

  it('finds the turn by its answer after compaction', async () => {
    await world.play(
      ...script.turn('t1', { runtime: 'R' }).both,
      ...script.turn('t2', { runtime: 'R', after: 't1' }).both,
    );
    await world.play(...script.turn('compaction', { runtime: 'R', kind: 'side', tools: false }).both);
    await world.play(...script.turn('t3', { runtime: 'R', after: 't2', history: 'compacted' }).both);
    await world.play(...script.turn('t4', { runtime: 'R', after: 't3' }).both);
    expect(world.followed).toEqual({ t1: 't2', t2: 't3', t3: 't4' });
  });

  it('finds the turn in a history whose older tool results were pruned', async () => {
    await world.play(...script.turn('t1', { session: 'S' }).both);
    await world.play(...script.turn('t2', { session: 'S', after: 't1', history: 'pruned' }).both);
    expect(world.followed).toEqual({ t1: 't2' });
  });

  it('follows neither of equal answers after compaction, and a single one also before it is known', async () => {
    const first = script.turn('t1', { session: 'S', answer: 'Done' });
    const second = script.turn('t2', { session: 'S', after: 't1', answer: 'Done' });
    await world.play(...first.both, ...second.both);
    await world.play(...script.turn('t3', { session: 'S', after: 't2', history: 'compacted' }).both);
    expect(world.followed).toEqual({ t1: 't2' });

    const next = script.turn('t4', { session: 'S', after: 't3' });
    await world.play(script.turn('t5', { session: 'S', after: 't4', history: 'compacted' }).arrived, ...next.both);
    expect(world.followed).toEqual({ t1: 't2', t3: 't4', t4: 't5' });
  });

  it('follows neither of equal exchanges in a broken history', async () => {
    const same = { session: 'S', asked: 'go-on', answer: 'Done' };
    await world.play(...script.turn('t1', same).both, ...script.turn('t2', { ...same, after: 't1' }).both);
    await world.play(...script.turn('t3', { session: 'S', after: 't2', history: 'pruned' }).both);
    expect(world.followed).toEqual({ t1: 't2' });
  });

  it('lets words about an edited question follow no turn that answered another one in the same words', async () => {
    const first = script.turn('t1', { session: 'S', answer: 'Done' });
    const second = script.turn('t2', { session: 'S', after: 't1', answer: 'Done' });
    const words = script.turn('t3', { session: 'S', after: 't1', history: 'question edited' });
    await world.play(...first.both, ...second.both, ...words.both);
    expect(world.followed).toEqual({ t1: 't2' });
  });

  it('lets another conversation of the session follow no turn that gave the same answer', async () => {
    await world.play(...script.turn('t1', { session: 'S', answer: 'Done' }).both);
    await world.play(...script.turn('other', { session: 'S', after: 't1', history: 'question edited' }).both);
    expect(world.followed).toEqual({});
  });

  it('does not carry an answer over into another session', async () => {
    await world.play(...script.turn('t1', { session: 'A', answer: 'Done' }).both);
    await world.play(...script.turn('t2', { session: 'B', after: 't1', history: 'compacted' }).both);
    expect(world.followed).toEqual({});
  });

  it('takes an edited history for a branch', async () => {
    await world.play(...script.turn('t1', { session: 'S' }).both);
    await world.play(...script.turn('branch', { session: 'S', after: 't1', history: 'answer edited' }).both);
    expect(world.followed).toEqual({});
    await world.goQuiet();
    expect(world.settled).toEqual({ t1: 'no_next_state', branch: 'no_next_state' });
  });

  it('judges the regenerated answer that the user went on with', async () => {
    await world.play(...script.turn('t1').both, ...script.turn('t2', { after: 't1' }).both);
    await world.play(...script.turn('t2again', { after: 't1' }).both, ...script.turn('t3', { after: 't2again' }).both);
    await world.goQuiet();
    expect(world.followed).toEqual({ t1: 't2', t2again: 't3' });
    expect(world.settled).toEqual({ t2: 'no_next_state', t3: 'no_next_state' });
  });

  it('lets the first of overlapping requests be the next state', async () => {
    const first = script.turn('t1', { session: 'S' });
    const [one, two] = [
      script.turn('t2', { session: 'S', after: 't1' }),
      script.turn('t3', { session: 'S', after: 't1' }),
    ];
    await world.play(...first.both, one.arrived, two.arrived, two.completed, one.completed);
    expect(world.followed).toEqual({ t1: 't2' });
  });

  it('names a turn whose gateway died when its session ends', async () => {
    await world.play(
      ...script.turn('t1', { session: 'S' }).both,
      script.turn('t2', { session: 'S', after: 't1' }).arrived,
    );
    await world.goQuiet();
    expect(world.followed).toEqual({ t1: 't2' });
    expect(world.settled).toEqual({ t2: 'gateway_lost' });
    expect(world.ended).toEqual([{ session: 'S#1', cause: 'idle', withoutNextState: [], lost: ['t2'] }]);
  });

  it('lets an answer take longer than the idle time, up to a bound of its own', async () => {
    const long = script.turn('long', { session: 'S' });
    await world.play(long.arrived);
    world.store.now += ANSWER_MS - 1;
    await world.replicas[0].sweeper.sweep();
    expect(world.settled).toEqual({});
    await world.play(long.completed);
    await world.play(...script.turn('t2', { session: 'S', after: 'long' }).both);
    expect(world.followed).toEqual({ long: 't2' });

    await world.play(script.turn('lost', { session: 'S', after: 't2' }).arrived);
    world.store.now += ANSWER_MS - 1;
    await world.replicas[0].sweeper.sweep();
    await world.replicas[0].sweeper.sweep();
    expect(world.settled).toEqual({});
    world.store.now += 1;
    await world.replicas[0].sweeper.sweep();
    expect(world.settled).toEqual({ lost: 'gateway_lost' });
  });

  it('ends no session early: an event that comes meanwhile keeps it open', async () => {
    await world.play(...script.turn('t1', { session: 'S' }).both);
    world.store.now += IDLE_MS - 1;
    await world.play(...script.turn('t2', { session: 'S', after: 't1' }).both);
    world.store.now += IDLE_MS - 1;
    await world.replicas[0].sweeper.sweep();
    expect(world.ended).toEqual([]);
    world.store.now += 2;
    await world.replicas[1].sweeper.sweep();
    expect(world.ended).toHaveLength(1);
  });

  it('ends no session whose next turn was kept back by an outage of the bus longer than the idle time', async () => {
    await world.play(...script.turn('t1', { session: 'S' }).both);
    world.store.now += 3 * IDLE_MS;
    world.busUpForMs = 500;
    for (const { sweeper } of world.replicas) await sweeper.sweep();
    expect(world.ended).toEqual([]);
    await world.play(...script.turn('t2', { session: 'S', after: 't1' }).both);
    world.busUpForMs = 60_000;
    await world.goQuiet();
    expect(world.followed).toEqual({ t1: 't2' });
    expect(world.settled).toEqual({ t2: 'no_next_state' });
  });

  it('does not reopen a session for the late redelivery of a turn that it knows', async () => {
    await world.play(
      ...script.turn('t1', { session: 'S' }).both,
      ...script.turn('t2', { session: 'S', after: 't1', done: true }).both,
    );
    await world.deliver([0, 1, 2, 3, 3]);
    await world.goQuiet();
    expect(world.session('S')).toMatchObject({ state: 'announced', incarnation: 1 });
    expect(world.ended).toHaveLength(1);
  });

  it('takes an answer that comes after its session ended for the next incarnation', async () => {
    await world.play(...script.turn('t1', { session: 'S', done: true }).both);
    await world.play(script.turn('long', { session: 'S' }).completed);
    await world.goQuiet();
    expect(world.settled).toEqual({ t1: 'no_next_state', long: 'no_next_state' });
    const [first, second] = world.reaches;
    expect(first?.since).toBeUndefined();
    expect(second?.since).toBe(first?.through);
  });

  describe('with feedback', () => {
    const fates = async (): Promise<Record<string, number>> => {
      const { values } = await world.telemetry.metrics.feedback.get();
      return Object.fromEntries(values.map(({ labels, value }) => [labels.fate, value]));
    };

    it('takes a text that comes before any reply for the next state', async () => {
      await world.play(...script.turn('t1', { session: 'S' }).both, script.feedback('f1', 't1', { hasText: true }));
      await world.play(...script.turn('t2', { session: 'S', after: 't1' }).both);
      await world.goQuiet();
      expect(world.followed).toEqual({ t1: 'f1' });
      expect(world.settled).toEqual({ t2: 'no_next_state' });
      expect(await fates()).toEqual({ text: 1 });
    });

    it('takes down words as late that come after a reply, or after the outcome', async () => {
      await world.play(...script.turn('t1').both, ...script.turn('t2', { after: 't1' }).both);
      await world.goQuiet();
      expect(world.settled).toEqual({ t2: 'no_next_state' });
      await world.play(script.feedback('f1', 't1', { hasText: true }), script.feedback('f2', 't2', { hasText: true }));
      expect(world.followed).toEqual({ t1: 't2' });
      expect(await fates()).toEqual({ late: 2 });
    });

    it('changes nothing about a turn that was followed already', async () => {
      await world.play(...script.turn('t1').both, ...script.turn('t2', { after: 't1' }).both);
      await world.play(script.feedback('f1', 't1', { hasText: true }));
      expect(world.followed).toEqual({ t1: 't2' });
    });

    it('leaves a turn with a score to those who settle it', async () => {
      await world.play(
        ...script.turn('t1', { session: 'S' }).both,
        script.feedback('f1', 't1', { score: 1, hasText: true }),
      );
      await world.goQuiet();
      expect(world.followed).toEqual({});
      expect(world.settled).toEqual({});
      expect(world.ended).toEqual([{ session: 'S#1', cause: 'idle', withoutNextState: [], lost: [] }]);
    });

    it('takes a text beside a score for the next state where hints are made of it', async () => {
      world = new World(settingsOf('hybrid'));
      await world.play(
        ...script.turn('t1', { session: 'S' }).both,
        script.feedback('f1', 't1', { score: 1, hasText: true }),
        ...script.turn('t2', { session: 'S', after: 't1' }).both,
        script.feedback('f2', 't2', { score: -1 }),
      );
      await world.goQuiet();
      expect(world.followed).toEqual({ t1: 'f1' });
      expect(world.settled).toEqual({});
      expect(await fates()).toEqual({ text: 1 });
    });

    it('takes a score for nothing where hints alone train', async () => {
      world = new World(settingsOf('opd'));
      await world.play(
        ...script.turn('t1', { session: 'S' }).both,
        script.feedback('f1', 't1', { score: 1 }),
        ...script.turn('t2', { session: 'S', after: 't1' }).both,
        script.feedback('f2', 't2', { score: 1, hasText: true }),
        ...script.turn('t3', { session: 'S', after: 't2' }).both,
        script.feedback('f3', 't3', { score: 1 }),
      );
      await world.goQuiet();
      expect(world.followed).toEqual({ t1: 't2', t2: 'f2' });
      expect(world.settled).toEqual({ t3: 'no_next_state' });
    });

    it('waits with a text until the answer is stored, and does not mind unknown turns', async () => {
      const turn = script.turn('t1', { session: 'S' });
      world.publish(
        turn.arrived,
        script.feedback('f1', 't1', { hasText: true }),
        script.feedback('f2', 'nobody', { score: 1 }),
      );
      await expect(world.handle(1)).rejects.toMatchObject({ name: 'NotYetError' });
      await world.deliver([2]);
      world.publish(turn.completed);
      await world.deliver([1]);
      expect(world.followed).toEqual({ t1: 'f1' });
    });

    it('waits with a text as long as an answer may take, and gives it up after that', async () => {
      const [running, lost] = [
        script.turn('running', { session: 'S', at: Date.now() }),
        script.turn('lost', { session: 'S', at: Date.now() - ANSWER_MS }),
      ];
      world.publish(
        running.arrived,
        lost.arrived,
        script.feedback('f1', 'running', { hasText: true }),
        script.feedback('f2', 'lost', { hasText: true }),
      );
      await expect(world.handle(2, MAX_DELIVERIES + 1)).rejects.toBeInstanceOf(NotYetError);
      await expect(world.handle(3, MAX_DELIVERIES)).rejects.toBeInstanceOf(TurnNotCompletedError);
    });

    it('has nothing to say with a text about a turn that was lost', async () => {
      await world.play(script.turn('t1', { session: 'S' }).arrived);
      await world.goQuiet();
      await world.play(script.feedback('f1', 't1', { hasText: true }));
      expect(world.followed).toEqual({});
      expect(world.settled).toEqual({ t1: 'gateway_lost' });
    });

    it('has no side turn judged for a text, and none that is settled', async () => {
      await world.play(...script.turn('side', { kind: 'side' }).both, script.feedback('f1', 'side', { hasText: true }));
      await world.play(
        ...script.turn('t1', { session: 'S', done: true }).both,
        script.feedback('f2', 't1', { hasText: true }),
      );
      expect(world.followed).toEqual({});
    });
  });

  describe('after a crash', () => {
    /** Plays events of a new stream again and again, each time with the crash one operation later, until none happens. */
    const crashEverywhere = async (
      events: () => readonly Event[],
      check: (crashed: World) => Promise<void> | void,
      settings = settingsOf('binary'),
    ): Promise<number> => {
      for (let crashIn = 1; ; crashIn += 1) {
        const there = new World(settings);
        script = new Script();
        const all = events();
        await there.play(...all.slice(0, -1));
        there.publish(...all.slice(-1));
        there.store.crashIn = crashIn;
        const isCrashed = await there.handle(all.length - 1).then(
          () => false,
          () => true,
        );
        there.store.crashIn = 0;
        if (!isCrashed) return crashIn;
        await check(there);
      }
    };

    it('never says of a followed turn that nothing follows it, even if its event is handled again too late', async () => {
      const crashes = await crashEverywhere(
        () => {
          const first = script.turn('t1', { session: 'S' });
          return [...first.both, script.turn('t2', { session: 'S', after: 't1' }).arrived];
        },
        async (there) => {
          await there.goQuiet();
          expect(Object.keys(there.followed).filter((id) => there.settled[id] !== undefined)).toEqual([]);
        },
      );
      expect(crashes).toBeGreaterThan(10);
    });

    it('has a turn followed by the words beside a score, wherever that is cut short', async () => {
      const crashes = await crashEverywhere(
        () => [...script.turn('t1', { session: 'S' }).both, script.feedback('f1', 't1', { score: 1, hasText: true })],
        async (there) => {
          await there.deliver([2]);
          await there.goQuiet();
          expect(there.followed).toEqual({ t1: 'f1' });
          expect(there.settled).toEqual({});
        },
        settingsOf('hybrid'),
      );
      expect(crashes).toBeGreaterThan(5);
    });

    it.each([
      ['finds the one turn', 't1 is asked something else', { t2: 't3' }],
      ['follows none or one, never two,', 'both are asked the same', undefined],
    ])('%s wherever the search by the answer is cut short: %s', async (_what, _asked, expected) => {
      await crashEverywhere(
        () => {
          const same = expected === undefined ? { asked: 'go-on' } : {};
          const first = script.turn('t1', { session: 'S', answer: 'Done', ...same });
          late = script.turn('t2', { session: 'S', answer: 'Done', ...same }).both;
          return [...first.both, script.turn('t3', { session: 'S', after: 't2' }).arrived];
        },
        async (there) => {
          there.publish(...late);
          await there.deliver([3, 4, 2]);
          if (expected !== undefined) expect(there.followed).toEqual(expected);
          expect(Object.values(there.followed).length).toBeLessThan(2);
        },
      );
    });
    let late: readonly Event[] = [];

    it('finishes an end that was cut short anywhere, and one that was only asked for, with the next sweep', async () => {
      for (let crashIn = 1; crashIn < 20; crashIn += 1) {
        const there = new World();
        script = new Script();
        there.publish(...script.turn('t1', { session: 'S', done: true }).both);
        for (const sequence of [0, 1]) await there.handle(sequence);
        there.store.crashIn = crashIn;
        await there.replicas[1].ends.endReady().catch(() => undefined);
        await there.replicas[0].ends.endReady().catch(() => undefined);
        there.store.crashIn = 0;
        await there.replicas[0].sweeper.sweep();
        expect(there.settled).toEqual({ t1: 'no_next_state' });
        expect(there.ended).toHaveLength(1);
        expect(there.session('S').state).toBe('announced');
      }
    });
  });

  it('keeps the first place of a turn, whatever becomes known later', async () => {
    const first = script.turn('t1', { runtime: 'R' });
    const second = script.turn('t2', { after: 't1' });
    await world.play(second.arrived, ...first.both, second.completed);
    expect(Object.keys(world.session(rootSessionKey('t2')).turns)).toEqual(['t2']);
    expect(Object.keys(world.session('R').turns)).toEqual([]);
  });

  it('counts what it stored, once', async () => {
    await world.play(
      ...script.turn('t1', { session: 'S' }).both,
      ...script.turn('t2', { session: 'S', after: 't1', done: true }).both,
    );
    await world.deliver([0, 1, 2, 3]);
    const { turnsFollowed, turnsSettled, sessionsEnded } = world.telemetry.metrics;
    const value = async (metric: { get(): Promise<{ values: { value: number }[] }> }) =>
      (await metric.get()).values.map((each) => each.value);
    expect(await value(turnsFollowed)).toEqual([1]);
    expect(await value(turnsSettled)).toEqual([1]);
    expect(await value(sessionsEnded)).toEqual([1]);
  });

  it('settles the turn of a message that is given up', async () => {
    const { both } = script.turn('t1');
    world.publish(...both);
    for (const event of both) await world.replicas[0].turns.settleDead({ ...event, sequence: 1, deliveries: 8 });
    expect(world.settled).toEqual({ t1: 'dead_letter' });
  });
});
