import 'reflect-metadata';
import { freePort, startNatsServer } from '@app/testing';
import { consult } from '../support/doctor';
import { OddNats } from '../support/odd-nats';
import { OddServer } from '../support/odd-server';
import { Opened } from '../support/opened';

const opened = new Opened();
afterEach(() => opened.close());

describe('the doctor on NATS', () => {
  const nats = (url: string, more: Record<string, string> = {}) => ({ env: { NATS_URL: url, ...more } });

  it('finds nothing wrong with a server that is in order', async () => {
    const { url } = opened.add(await startNatsServer());
    const found = await consult(['jetstream'], nats(url));
    expect(found.nats).toMatchObject({
      status: 'ok',
      seen: expect.stringMatching(/^nats-server 2\.\d+\.\d+ answers$/),
    });
    expect(found.jetstream?.status).toBe('ok');
  });

  it('says that npm start brings one where none is set', async () => {
    const found = await consult(['jetstream']);
    expect(found.nats).toMatchObject({ status: 'unchecked', seen: expect.stringContaining('not running: npm start') });
    expect(found.jetstream).toMatchObject({ status: 'unchecked', seen: found.nats?.seen });
  });

  it('tells nobody there from somebody else', async () => {
    const refused = await consult(['nats'], nats(`nats://127.0.0.1:${await freePort()}`));
    expect(refused.nats).toMatchObject({ status: 'failed', seen: expect.stringContaining('connection refused') });
    const web = await opened.add(new OddServer(() => ({}))).start();
    const other = await consult(['nats'], nats(`nats://127.0.0.1:${web.port}`));
    expect(other.nats).toMatchObject({ status: 'failed', remedy: 'is that a NATS server? mend nats.url' });
  });

  it('tells a host without an address, and one server of several that is away', async () => {
    const nowhere = await consult(['nats'], nats('nats://no-such-host.invalid:4222'));
    expect(nowhere.nats).toMatchObject({ status: 'failed', seen: expect.stringContaining('has no address') });
    const { url } = opened.add(await startNatsServer());
    const away = await freePort();
    const { nats: partly } = await consult(['nats'], nats(`${url},nats://127.0.0.1:${away}`));
    expect(partly).toMatchObject({ seen: `NATS: connection refused at 127.0.0.1:${away}` });
  });

  it('tells a server that is too old', async () => {
    const { url } = opened.add(await new OddNats({ version: '2.9.9' }).start());
    const { nats: old } = await consult(['nats'], nats(url));
    expect(old).toMatchObject({
      status: 'failed',
      seen: 'nats-server 2.9.9 is too old',
      remedy: 'install nats-server 2.9.10 or later',
    });
    const oldest = opened.add(await new OddNats({ version: '2.9.10' }).start());
    expect((await consult(['nats'], nats(oldest.url))).nats).toMatchObject({ status: 'ok' });
  });

  it('tells a wrong password, and shows none', async () => {
    const server = opened.add(await startNatsServer({ config: 'authorization { user: u, password: right }' }));
    const found = await consult(['nats'], nats(`nats://u:wrong-one@127.0.0.1:${server.port}`));
    expect(found.nats).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('mend user and password in nats.url'),
    });
    expect(JSON.stringify(found)).not.toContain('wrong-one');
  });

  it.each([
    ['development', 'warning'],
    ['of-its-own', 'ok'],
  ])("tells that the operator's user has a password that everybody knows: %s, %s", async (password, status) => {
    const users = `{ user: doctor, password: secret }, { user: bus-admin, password: ${password} }`;
    const server = opened.add(await startNatsServer({ config: `authorization { users = [${users}] }` }));
    const found = await consult(['nats'], nats(`nats://doctor:secret@127.0.0.1:${server.port}`));
    expect(found.nats?.status).toBe(status);
    if (status === 'warning')
      expect(found.nats).toMatchObject({
        seen: expect.stringContaining('bus-admin'),
        remedy: expect.stringContaining('sh deploy/new-secrets.sh --missing'),
      });
  });

  it('says nothing of passwords that are all as they come', async () => {
    const users = '{ user: doctor, password: development }, { user: bus-admin, password: development }';
    const server = opened.add(await startNatsServer({ config: `authorization { users = [${users}] }` }));
    const found = await consult(['nats'], nats(`nats://doctor:development@127.0.0.1:${server.port}`));
    expect(found.nats?.status).toBe('ok');
  });

  const account = (jetstream: string): string => `accounts { A { ${jetstream}\nusers = [{ user: a, password: a }] } }`;

  it('tells a server without JetStream', async () => {
    const server = opened.add(await startNatsServer({ config: account('') }));
    const { jetstream } = await consult(['jetstream'], nats(`nats://a:a@127.0.0.1:${server.port}`));
    expect(jetstream).toMatchObject({ status: 'failed', seen: 'JetStream is not switched on' });
  });

  it('tells limits that are too narrow', async () => {
    const narrow = opened.add(await startNatsServer({ config: account('jetstream { max_file: 100MB }') }));
    const { jetstream: store } = await consult(['jetstream'], nats(`nats://a:a@127.0.0.1:${narrow.port}`));
    expect(store).toMatchObject({ status: 'failed', seen: 'the account may store 0.1 GB, and nats.store_gb is 10' });
    const short = opened.add(await startNatsServer({ config: 'max_payload: 1MB' }));
    const { jetstream: payload } = await consult(['jetstream'], nats(short.url));
    expect(payload).toMatchObject({ status: 'warning', seen: expect.stringContaining('up to 1.0 MiB') });
    const { jetstream: alone } = await consult(['jetstream'], nats(short.url, { OPENCLAW_RL_NATS_REPLICAS: '3' }));
    expect(alone).toMatchObject({ status: 'failed', seen: 'nats.replicas is 3, and the server stands alone' });
  });
});
