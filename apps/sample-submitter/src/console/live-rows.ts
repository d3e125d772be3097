import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Bus } from '@app/bus';
import { LIVE_SUBJECT, type LiveRows as Told } from '@app/contracts';
import { ConsoleIndex } from './console-index';
import { toRow } from './list-rows';

const TELL_EVERY_MS = 500;
const MOST_AT_ONCE = 200;
/** Open consoles ask every few seconds: after this long there is none. */
const LOOKED_AWAY_MS = 30_000;

/**
 * Tells open consoles which turns have changed: twice a second at most, and of more turns than somebody could read those that
 * changed last. What is left out is in the list that a console asks for. Turns that were removed are told, too.
 */
@Injectable()
export class LiveRows implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly changed = new Set<string>();
  private readonly gone = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly bus: Bus,
    private readonly index: ConsoleIndex,
  ) {
    index.onChange((turnId) => {
      if (index.sinceAsked < LOOKED_AWAY_MS) this.note(turnId);
    });
    index.onGone((turnId) => {
      this.changed.delete(turnId);
      if (index.sinceAsked < LOOKED_AWAY_MS) this.gone.add(turnId);
    });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.tell().catch(() => undefined), TELL_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  private note(turnId: string): void {
    this.changed.delete(turnId);
    this.changed.add(turnId);
    const [oldest] = this.changed;
    if (this.changed.size > MOST_AT_ONCE && oldest !== undefined) this.changed.delete(oldest);
  }

  private async tell(): Promise<void> {
    if (this.changed.size + this.gone.size === 0) return;
    const [ids, gone] = [[...this.changed], [...this.gone]];
    this.changed.clear();
    this.gone.clear();
    const rowsOf = (): Told['turns'] => ids.flatMap((id) => this.index.rows.get(id) ?? []).map(toRow);
    await this.index.place(rowsOf());
    const told: Told = { turns: rowsOf(), ...(gone.length === 0 ? {} : { gone }) };
    this.bus.core().publish(LIVE_SUBJECT, JSON.stringify(told));
  }
}
