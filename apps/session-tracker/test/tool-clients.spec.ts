import type { Stores } from '../src/storage/stores';
import { ToolClients } from '../src/turns/tool-clients';
import { FakeStore } from './fake-store';

const DAY_MS = 24 * 3600 * 1000;

describe('ToolClients', () => {
  let store: FakeStore;
  const create = (): ToolClients => new ToolClients({ clients: store.documentsOf('') } as Partial<Stores> as Stores);
  beforeEach(() => {
    store = new FakeStore();
  });

  it('forgets a client that has sent no tools for as long as its bucket keeps the mark', async () => {
    const clients = create();
    await clients.notice('c', 0);
    store.documents.clear();
    expect(await clients.sendsTools('c', 2 * DAY_MS - 1)).toBe(true);
    expect(await clients.sendsTools('c', 2 * DAY_MS)).toBe(false);
  });

  it('knows what another replica has noticed since its own mark grew old', async () => {
    const clients = create();
    await clients.notice('c', 0);
    await create().notice('c', DAY_MS);
    expect(await clients.sendsTools('c', 2.5 * DAY_MS)).toBe(true);
  });
});
