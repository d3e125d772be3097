import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What a NATS server says of itself first. */
interface ServerInfo {
  readonly version: string;
}

/** A NATS server as far as saying hello: it tells what it is, and answers pings. Stands in for one that cannot be had any more. */
export class OddNats {
  private readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor(info: ServerInfo) {
    this.server = createServer((socket) => {
      this.sockets.add(socket.on('error', () => undefined));
      const said = { server_id: 'odd', proto: 1, headers: true, max_payload: 8_388_608, jetstream: true, ...info };
      socket.write(`INFO ${JSON.stringify(said)}\r\n`);
      socket.on('data', (data) => {
        const pings = data.toString().match(/^PING\r$/gm) ?? [];
        socket.write('PONG\r\n'.repeat(pings.length));
      });
    });
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get url(): string {
    return `nats://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}
