import type { GatewayNow, Now, TurnRow } from '@app/contracts';
import { ApiError, type Api, type LiveEvent } from './api';

const AGAIN_MS = 2000;
/** Rows that are kept for the pages that show them live. */
const MAX_ROWS = 500;

/** Newest first, each turn once, in the state that was told last. */
export const mergeRows = (before: readonly TurnRow[], news: readonly TurnRow[], max = MAX_ROWS): TurnRow[] => {
  const rows = new Map([...before, ...news].map((row) => [row.turnId, row]));
  return [...rows.values()].sort((a, b) => b.arrivedAt - a.arrivedAt).slice(0, max);
};

export interface LiveState {
  readonly isLive: boolean;
  readonly now: Now | null;
  readonly gateway: GatewayNow | null;
  readonly rows: readonly TurnRow[];
}

const NOTHING: LiveState = { isLive: false, now: null, gateway: null, rows: [] };

/** What the console knows of the moment: asked once, then told. */
export class LiveStore {
  private current = NOTHING;
  private readonly listeners = new Set<() => void>();
  private readonly stopping = new AbortController();

  constructor(private readonly api: Api) {}

  get state(): LiveState {
    return this.current;
  }

  subscribe(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  start(): void {
    void this.run();
  }

  stop(): void {
    this.stopping.abort();
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      try {
        const feed = this.api.live((event) => {
          this.take(event);
        }, signal);
        // The feed is open before the list is asked for, so that nothing falls between the two.
        await Promise.race([feed, this.catchUp()]);
        await feed;
      } catch (error) {
        if (error instanceof ApiError && error.status === 401) return;
      }
      this.change({ isLive: false });
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  private async catchUp(): Promise<void> {
    const [now, page] = await Promise.all([this.api.now(), this.api.turns(new URLSearchParams({ limit: '200' }))]);
    this.change({ now, rows: mergeRows(page.turns, this.current.rows) });
  }

  private take({ event, data }: LiveEvent): void {
    if (event === 'now') this.change({ isLive: true, now: data });
    else if (event === 'gateway') this.change({ isLive: true, gateway: data });
    else this.change({ isLive: true, rows: mergeRows(this.current.rows, data.turns) });
  }

  private change(news: Partial<LiveState>): void {
    this.current = { ...this.current, ...news };
    for (const listener of this.listeners) listener();
  }
}
