import 'reflect-metadata';
import { freePort, startNatsServer, type NatsServer } from '@app/testing';
import { NATS_USERS } from '../../apps/doctor/src/network/known-password';
import { readText } from '../support/compose-file';
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

  /** A server with a user for the doctor and others, each by its password. */
  const withUsers = async (passwords: Record<string, string>): Promise<NatsServer> => {
    const users = Object.entries({ doctor: 'secret', ...passwords }).map(
      ([user, password]) => `{ user: ${user}, password: ${password} }`,
    );
    return opened.add(await startNatsServer({ config: `authorization { users = [${users.join(', ')}] }` }));
  };
  const asDoctor = ({ port }: NatsServer, password = 'secret'): string => `nats://doctor:${password}@127.0.0.1:${port}`;

  it('names every user whose password everybody knows, at each server, and what to do', async () => {
    const first = await withUsers({ 'bus-admin': 'development', gateway: 'development', 'prm-judge': 'of-its-own' });
    const second = await withUsers({ 'bus-admin': 'of-its-own', 'opd-teacher': 'development' });
    const third = await withUsers({ 'bus-admin': 'of-its-own' });
    const urls = [first, second, third].map((server) => asDoctor(server));
    const found = await consult(['nats'], nats(urls.join(',')));
    expect(found.nats).toMatchObject({
      status: 'warning',
      seen:
        `127.0.0.1:${first.port} takes the password that everybody knows of gateway; bus-admin, who may read and delete everything; ` +
        `127.0.0.1:${second.port} takes the password that everybody knows of opd-teacher`,
    });
    expect(found.nats?.remedy).toMatch(/^sh deploy\/new-secrets\.sh --missing && docker compose up -d; /);
    expect(found.nats?.remedy).toContain('set NATS_GATEWAY_PASSWORD, NATS_BUS_ADMIN_PASSWORD and');
    expect(found.nats?.remedy).toContain('set NATS_OPD_TEACHER_PASSWORD and');
    expect(JSON.stringify(found)).not.toMatch(/development|secret\b(?!s)|of-its-own/);
  });

  it('says nothing of users who have passwords of their own', async () => {
    const server = await withUsers({ 'bus-admin': 'of-its-own', gateway: 'of-its-own' });
    expect((await consult(['nats'], nats(asDoctor(server)))).nats?.status).toBe('ok');
  });

  it('tells a server of several that asks for no password', async () => {
    const [closed, open] = [await withUsers({}), opened.add(await startNatsServer())];
    const found = await consult(['nats'], nats(`${asDoctor(closed)},${open.url}`));
    expect(found.nats).toMatchObject({
      status: 'warning',
      seen: `127.0.0.1:${open.port} lets anybody in by any password`,
      remedy: expect.stringContaining('deploy/nats.compose.conf'),
    });
  });

  it('knows every user of the containers', () => {
    const users = [...readText('deploy/nats.compose.conf').matchAll(/^ +user: ([\w-]+),/gm)].map(([, user]) => user);
    expect(NATS_USERS).toEqual(users);
  });

  it('says nothing of passwords that are all as they come', async () => {
    const fresh = await withUsers(Object.fromEntries(NATS_USERS.map((user) => [user, 'development'])));
    const found = await consult(['nats'], nats(asDoctor(fresh, 'development')));
    expect(found.nats?.status).toBe('ok');
    const half = await withUsers({ doctor: 'development', gateway: 'of-its-own' });
    expect((await consult(['nats'], nats(asDoctor(half, 'development')))).nats).toMatchObject({
      status: 'warning',
      seen: `127.0.0.1:${half.port} takes the password that everybody knows of doctor`,
    });
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
