import { Injectable } from '@nestjs/common';
import { BUCKETS } from '@app/contracts';
import { Stores } from '../storage/stores';

/** How long the bucket keeps a mark, and after how long it is renewed. */
const FORGOTTEN_AFTER_MS = BUCKETS.sessions.ttlSeconds * 1000;
const RENEW_AFTER_MS = 12 * 3600 * 1000;
const MAX_CACHED = 10_000;

/** Remembers which clients send tools. The memory of this process only saves writes of what is stored already. */
@Injectable()
export class ToolClients {
  private readonly noticedAt = new Map<string, number>();

  constructor(private readonly stores: Stores) {}

  async notice(client: string, now: number): Promise<void> {
    const known = this.noticedAt.get(client) ?? -Infinity;
    if (now - known < RENEW_AFTER_MS) return;
    const noticedAt = await this.stores.clients.update(`client.${client}`, (mark) =>
      mark !== null && now - mark.noticedAt < RENEW_AFTER_MS
        ? { next: null, result: mark.noticedAt }
        : { next: { sendsTools: true, noticedAt: now }, result: now },
    );
    if (this.noticedAt.size >= MAX_CACHED) this.noticedAt.clear();
    this.noticedAt.set(client, noticedAt);
  }

  async sendsTools(client: string, now: number): Promise<boolean> {
    const isFresh = now - (this.noticedAt.get(client) ?? -Infinity) < FORGOTTEN_AFTER_MS;
    return isFresh || (await this.stores.clients.get(`client.${client}`)) !== null;
  }
}
