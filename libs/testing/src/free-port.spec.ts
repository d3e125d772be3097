import { createServer } from 'node:net';
import { once } from 'node:events';
import { freePort, NoFreePortError } from './free-port';

describe('freePort', () => {
  it('gives ports that no system hands out for port 0', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    for (const port of ports) {
      expect(port).toBeGreaterThanOrEqual(10_000);
      expect(port).toBeLessThan(32_768);
    }
  });

  it('gives one that can be listened on', async () => {
    const port = await freePort();
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    await new Promise((resolve) => server.close(resolve));
  });

  it('names an address that is not of this machine', async () => {
    await expect(freePort('192.0.2.1')).rejects.toThrow(NoFreePortError);
    await expect(freePort('192.0.2.1')).rejects.toThrow('Is the address one of this machine?');
  });
});
