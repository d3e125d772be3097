import type { GatewayNow, Learning, LiveRows, Now, SessionRow, TurnDetail, TurnsPage } from '@app/contracts';

export type Role = 'viewer' | 'operator';

/** Thrown when the gateway refuses, or cannot be reached (status 0). */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** What the key may, or why nothing. */
export type RoleTold =
  { readonly role: Role; readonly refusal: null } | { readonly role: null; readonly refusal: string };

/** What became of a rating. `reason`: why nothing is trained by it. */
export interface Rated {
  readonly status: 'accepted' | 'kept';
  readonly reason?: string;
}

/** An event of the live feed. */
export type LiveEvent =
  | { readonly event: 'now'; readonly data: Now }
  | { readonly event: 'gateway'; readonly data: GatewayNow }
  | { readonly event: 'turns'; readonly data: LiveRows };

const BASE = '/console/api/';

const messageOf = async (response: Response): Promise<string> => {
  const body = (await response.json().catch(() => null)) as { error?: { message?: string } } | null;
  return body?.error?.message ?? `the gateway answered with ${response.status}`;
};

/** The gateway, as the console asks it: every answer is of the form that libs/contracts gives it. */
export class Api {
  constructor(private readonly key: string | null) {}

  readonly role = (): Promise<RoleTold> => this.get('role');
  readonly now = (): Promise<Now> => this.get('now');
  readonly gateway = (): Promise<GatewayNow> => this.get('gateway');
  readonly turns = (query: URLSearchParams): Promise<TurnsPage> => this.get(`turns?${query.toString()}`);
  readonly turn = (id: string): Promise<{ turn: TurnDetail | null }> => this.get(`turns/${encodeURIComponent(id)}`);
  readonly sessions = (): Promise<{ sessions: SessionRow[] }> => this.get('sessions');
  /** Sessions that go by a name: by their key, or by what their client calls them. */
  readonly sessionsCalled = (name: string): Promise<{ sessions: SessionRow[] }> =>
    this.get(`sessions?${new URLSearchParams({ name }).toString()}`);
  readonly learning = (): Promise<Learning> => this.get('learning');

  async rate(turnId: string, rating: { score?: 1 | -1; text?: string }): Promise<Rated> {
    const init = { method: 'POST', body: JSON.stringify(rating) };
    return (await (await this.call(`turns/${encodeURIComponent(turnId)}/feedback`, init)).json()) as Rated;
  }

  async forgetAnswers(): Promise<void> {
    await this.call('answers', { method: 'DELETE' });
  }

  async erase(session: string): Promise<{ deleted: { messages: number; records: number } }> {
    const response = await this.call(`sessions/${encodeURIComponent(session)}`, { method: 'DELETE' });
    return (await response.json()) as { deleted: { messages: number; records: number } };
  }

  /** Hands on live events until the feed ends or `signal` is aborted. @throws ApiError */
  async live(onEvent: (event: LiveEvent) => void, signal: AbortSignal): Promise<void> {
    const { body } = await this.call('live', { signal });
    if (body === null) return;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const events = (rest + piece.value).split('\n\n');
      rest = events.pop() ?? '';
      for (const text of events) {
        const parsed = parseEvent(text);
        if (parsed !== null) onEvent(parsed);
      }
    }
  }

  private async get<Answer>(path: string): Promise<Answer> {
    return (await (await this.call(path)).json()) as Answer;
  }

  private async call(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.key !== null) headers.set('authorization', `Bearer ${this.key}`);
    const response = await fetch(BASE + path, { ...init, headers }).catch((error: unknown) => {
      if (init.signal?.aborted === true) throw error;
      throw new ApiError(0, 'the gateway cannot be reached');
    });
    if (!response.ok) throw new ApiError(response.status, await messageOf(response));
    return response;
  }
}

/** Reads one event; null for one that says nothing. */
export const parseEvent = (text: string): LiveEvent | null => {
  const lines = text.split('\n');
  const valueOf = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const [event, data] = [valueOf('event'), valueOf('data')];
  if (event === undefined || data === undefined) return null;
  return { event, data: JSON.parse(data) as unknown } as LiveEvent;
};
