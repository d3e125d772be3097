import type { ServerResponse } from 'node:http';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Bus } from '@app/bus';
import { LIVE_SUBJECT, ReadNow } from '@app/contracts';
import { OpenAiError } from '../errors/openai-error';
import { ConsoleQueries } from './console-queries';
import { GatewayView } from './gateway-view';

const ASK_EVERY_MS = 2000;
const MAX_CONSOLES = 64;
/** A console that reads so much too slowly, in bytes, is let go: it asks anew. */
const MAX_BEHIND = 1024 * 1024;

const HEAD = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
};

const eventOf = (event: string, json: string): string => `event: ${event}\ndata: ${json}\n\n`;

/**
 * Live events for open consoles. One subscription and one question every two seconds serve all of them, each event is written
 * out once, and nothing of it runs while nobody looks: so the number of consoles hardly matters to the chats beside them.
 */
@Injectable()
export class LiveFeed implements BeforeApplicationShutdown {
  private readonly consoles = new Set<ServerResponse>();
  private stopLooking: (() => void) | null = null;

  constructor(
    private readonly bus: Bus,
    private readonly queries: ConsoleQueries,
    private readonly gateway: GatewayView,
  ) {}

  beforeApplicationShutdown(): void {
    for (const reader of this.consoles) reader.end();
  }

  /** Writes events to `reply` until its client goes. @throws OpenAiError 503 past 64 of them, BusUnavailableError */
  open(reply: ServerResponse): void {
    if (this.consoles.size >= MAX_CONSOLES) {
      throw new OpenAiError(503, 'too_many_consoles', `${MAX_CONSOLES} consoles are open; close one`);
    }
    this.stopLooking ??= this.look();
    reply.writeHead(200, HEAD);
    reply.write(eventOf('gateway', JSON.stringify(this.gateway.read())));
    this.consoles.add(reply);
    reply.once('close', () => {
      this.consoles.delete(reply);
      if (this.consoles.size > 0) return;
      this.stopLooking?.();
      this.stopLooking = null;
    });
  }

  private look(): () => void {
    const subscription = this.bus.core().subscribe(LIVE_SUBJECT, {
      callback: (_error, message) => {
        this.send('turns', message.string());
      },
    });
    const ask = (): void => {
      this.send('gateway', JSON.stringify(this.gateway.read()));
      this.queries.ask(ReadNow, {}).then(
        (now) => {
          this.send('now', now);
        },
        // While nobody answers, the console sees that no word comes.
        () => undefined,
      );
    };
    ask();
    const timer = setInterval(ask, ASK_EVERY_MS);
    return () => {
      clearInterval(timer);
      subscription.unsubscribe();
    };
  }

  private send(event: string, json: string): void {
    const bytes = Buffer.from(eventOf(event, json));
    for (const reader of this.consoles) {
      if (reader.writableLength > MAX_BEHIND) reader.destroy();
      else reader.write(bytes);
    }
  }
}
