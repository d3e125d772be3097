import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Bus } from '@app/bus';
import { LIVE_SUBJECT, type LiveRows as Told } from '@app/contracts';
import { ConsoleIndex } from './console-index';
import { toRow } from './list-rows';

const TELL_EVERY_MS = 500;
const MOST_AT_ONCE = 200;
/** Open consoles ask every few seconds: after this long there is none. */
const LOOKED_AWAY_MS = 30_000;

/** Tells open consoles which turns have changed: twice a second at most, however many turns there are. */
@Injectable()
export class LiveRows implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly changed = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly index: ConsoleIndex,
  ) {
    index.onChange((turnId) => {
      if (index.sinceAsked < LOOKED_AWAY_MS) this.changed.add(turnId);
    });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.tell().catch(() => undefined), TELL_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private async tell(): Promise<void> {
    if (this.changed.size === 0) return;
    const ids = [...this.changed].slice(0, MOST_AT_ONCE);
    for (const id of ids) this.changed.delete(id);
    const rowsOf = (): Told['turns'] => ids.flatMap((id) => this.index.rows.get(id) ?? []).map(toRow);
    await this.index.place(rowsOf());
    const told: Told = { turns: rowsOf() };
    this.bus.core().publish(LIVE_SUBJECT, JSON.stringify(told));
  }
}
