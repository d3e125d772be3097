import type { TurnInfo } from '@app/contracts';
import type { ChainEntry, ChainTurn } from '../src/pairing/chain-entry';
import { Patience } from '../src/storage/patience';
import type { Stores } from '../src/storage/stores';
import { Places } from '../src/turns/places';
import { ToolClients } from '../src/turns/tool-clients';

const turn = (session: string): ChainTurn => ({ id: `turn-of-${session}`, session, judge: true, at: 1 });
const entry = (...sessions: string[]): ChainEntry => ({ turns: sessions.map(turn), followers: [] });

const INFO: TurnInfo = {
  turnId: 'next',
  scope: 'scope',
  arrivedAt: 2,
  kind: 'main',
  runtimeSession: 'mine',
  parentChain: 'chain',
  client: 'client',
  hasTools: false,
  sessionDone: false,
  policyVersion: 0,
};

/** A store that remembers one entry of the chain, and holds another by now. */
const placesWith = ({ remembered, stored }: { remembered: ChainEntry | null; stored: ChainEntry }): Places => {
  const stores = {
    places: {
      recall: () => null,
      get: () => Promise.resolve(null),
      update: (_key: string, change: (first: null) => { result: unknown }) => Promise.resolve(change(null).result),
    },
    clients: { get: () => Promise.resolve(null) },
    chains: { recall: () => remembered, get: () => Promise.resolve({ value: stored }) },
  } as unknown as Stores;
  return new Places(stores, new ToolClients(stores), new Patience([]));
};

describe('the place of a turn that names its session in its text', () => {
  it('is with its own session where another one says the same and its own turn comes a moment later', async () => {
    const places = placesWith({ remembered: entry('others'), stored: entry('others', 'mine') });
    await expect(places.of(INFO, true)).resolves.toMatchObject({ session: 'mine' });
  });

  it('is where its conversation is, if that is nowhere under its own name', async () => {
    const places = placesWith({ remembered: entry('others'), stored: entry('others') });
    await expect(places.of(INFO, true)).resolves.toMatchObject({ session: 'others' });
  });
});
