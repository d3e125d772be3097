import 'reflect-metadata';
import { CONSUMERS } from '@app/contracts';
import { until } from '@app/testing';
import { Opened } from '../support/opened';
import { Stack } from './doctor-harness';

describe("the doctor's own turn", () => {
  // Whole stacks, on machines that have other things to do.
  jest.setTimeout(90_000);
  const opened = new Opened();
  afterEach(() => opened.close());

  const turnOf = async (stack: Stack) => (await stack.consult(['turn'])).turn!;

  it('says why one like it would not be trained on', async () => {
    const stack = await Stack.start(opened);
    stack.engine.set({ sglext: false });
    await stack.startWorkers(opened);
    expect(await turnOf(stack)).toMatchObject({
      status: 'warning',
      seen: expect.stringContaining('would not be trained on: no_token_ids'),
      remedy: 'see the line about token ids and route',
    });
  });

  it('tells a chat that is not answered', async () => {
    const stack = await Stack.start(opened);
    await stack.startWorkers(opened);
    stack.engine.script(() => ({ to: 'policy', status: 500 }));
    expect(await turnOf(stack)).toMatchObject({
      status: 'failed',
      seen: expect.stringMatching(/^the chat was not answered: status 5\d\d/),
      remedy: 'see the lines about gateway and policy',
    });
  });

  it('tells one that is too large to be stored', async () => {
    const stack = await Stack.start(opened);
    await stack.startWorkers(opened);
    await stack.shrinkMessages(1152);
    // The services find their way back first.
    const isMade = async () => (await turnOf(stack)).status !== 'unchecked';
    await until(isMade, { what: 'services that take work', timeoutMs: 60_000 });
    expect(await turnOf(stack)).toMatchObject({
      status: 'warning',
      seen: expect.stringContaining('would not be trained on: turn_too_large'),
      remedy: expect.stringContaining('see the line about JetStream'),
    });
  });

  it('tells one that nobody settles, though somebody takes it', async () => {
    const stack = await Stack.start(opened);
    const [tracker] = await stack.startWorkers(opened);
    await tracker!.close();
    stack.holdTurns(opened);
    expect(await turnOf(stack)).toMatchObject({
      status: 'failed',
      seen: 'the turn was stored, and nobody has settled it',
      remedy: expect.stringContaining('session-tracker'),
    });
  });

  it('tells one that is gone from the store', async () => {
    const stack = await Stack.start(opened);
    const [tracker] = await stack.startWorkers(opened);
    await tracker!.close();
    const { jsm } = stack.bus.connection.current();
    const purge = async (): Promise<void> => {
      await jsm.streams.purge(CONSUMERS.trackerTurns.stream);
    };
    stack.bus.consume({ consumer: CONSUMERS.trackerTurns, slots: 1, handle: purge });
    expect(await turnOf(stack)).toMatchObject({
      status: 'failed',
      seen: 'the chat was answered, and the turn was never stored',
      remedy: 'see the lines about NATS, JetStream and the services',
    });
  });

  it('tells one that cannot be removed, since sample-submitter has gone meanwhile', async () => {
    const stack = await Stack.start(opened);
    await stack.startWorkers(opened);
    let release = (): void => undefined;
    const hold = new Promise<void>((resolve) => (release = resolve));
    opened.add({
      stop: () => {
        release();
      },
    });
    stack.engine.script({ content: 'Yes.', hold, holdAfterTokens: 0 });
    const turn = turnOf(stack);
    await until(
      () => stack.engine.chats('policy').some(({ lastText, isProbe }) => lastText === 'Say yes.' && !isProbe),
      {
        what: "the doctor's chat",
      },
    );
    await stack.submitter.close();
    release();
    expect(await turn).toMatchObject({
      status: 'failed',
      seen: 'the turn was settled, and its session could not be removed',
      remedy: expect.stringContaining('sample-submitter does not answer'),
    });
  });
});
