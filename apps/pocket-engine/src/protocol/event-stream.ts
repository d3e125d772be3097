import type { FastifyReply } from 'fastify';

/** Server-sent events on a reply that was taken from the framework. */
export class EventStream {
  private begun = false;

  constructor(private readonly reply: FastifyReply) {
    reply.hijack();
  }

  send(data: unknown, name?: string): void {
    if (!this.begun) {
      this.reply.raw.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
      });
      this.begun = true;
    }
    this.reply.raw.write(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
  }

  end(): void {
    this.reply.raw.end('data: [DONE]\n\n');
  }
}

/** Calls back when the client has gone before its answer was complete. */
export const onClientGone = (reply: FastifyReply, handler: () => void): void => {
  reply.raw.once('close', () => {
    if (!reply.raw.writableFinished) handler();
  });
};
