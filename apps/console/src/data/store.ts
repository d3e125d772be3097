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
  /** Turns that were removed while this page was open: whoever has not heard of it yet may still tell of them. */
  readonly gone: ReadonlySet<string>;
}

const NOTHING: LiveState = { isLive: false, now: null, gateway: null, rows: [], gone: new Set() };

/** The state with what was told of turns. */
export const withRows = ({ rows, gone }: LiveState, news: readonly TurnRow[]): Pick<LiveState, 'rows'> => ({
  rows: mergeRows(rows, news).filter(({ turnId }) => !gone.has(turnId)),
});

/** The state after turns were removed. */
export const withoutTurns = (state: LiveState, removed: readonly string[]): Pick<LiveState, 'rows' | 'gone'> => {
  const gone = new Set([...state.gone, ...removed]);
  return { gone, rows: state.rows.filter(({ turnId }) => !gone.has(turnId)) };
};

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

  /** Turns were removed. */
  forget(turnIds: readonly string[]): void {
    this.change(withoutTurns(this.current, turnIds));
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
        // A key that has been taken away comes back by a new visit only.
        if (error instanceof ApiError && error.status === 401) this.stop();
      }
      this.change({ isLive: false });
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }

  private async catchUp(): Promise<void> {
    const [now, page] = await Promise.all([this.api.now(), this.api.turns(new URLSearchParams({ limit: '200' }))]);
    // What has been told since is newer than the list.
    const { rows } = this.current;
    this.change({ now, ...withRows({ ...this.current, rows: page.turns }, rows) });
  }

  private take({ event, data }: LiveEvent): void {
    if (event === 'now') this.change({ isLive: true, now: data });
    else if (event === 'gateway') this.change({ isLive: true, gateway: data });
    else {
      this.change({ isLive: true, ...withRows(this.current, data.turns) });
      if (data.gone !== undefined) this.forget(data.gone);
    }
  }

  private change(news: Partial<LiveState>): void {
    this.current = { ...this.current, ...news };
    for (const listener of this.listeners) listener();
  }
}
