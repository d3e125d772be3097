import { useCallback, useEffect, useMemo, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { Api, ApiError, type Role } from './data/api';
import { ConsoleContext, useLive } from './data/context';
import type { Place } from './data/place';
import { usePlace } from './data/route';
import { LiveStore } from './data/store';
import { FeedbackPage } from './pages/feedback-page';
import { KeyPage } from './pages/key-page';
import { LearningPage } from './pages/learning-page';
import { NowPage } from './pages/now-page';
import { SessionPage } from './pages/session-page';
import { SessionsPage } from './pages/sessions-page';
import { TurnPage } from './pages/turn-page';
import { TurnsPage } from './pages/turns-page';
import { ThemeSwitch } from './parts/theme-switch';

const KEY = 'openclaw-rl.console.key';

const PAGES = [
  ['now', 'Now'],
  ['turns', 'Turns'],
  ['learning', 'Learning'],
  ['sessions', 'Sessions'],
  ['feedback', 'Feedback'],
] as const;

/** Finds out the role of the key, or asks for one. */
export const App = (): JSX.Element | null => {
  const [key, setKey] = useState(() => sessionStorage.getItem(KEY));
  const [role, setRole] = useState<Role | null>(null);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const api = useMemo(() => new Api(key), [key]);
  useEffect(() => {
    setRole(null);
    api.role().then(
      (found) => {
        setRefusal(null);
        setRole(found.role);
      },
      (error: unknown) => {
        setRefusal(error instanceof ApiError ? error : new ApiError(0, String(error)));
      },
    );
  }, [api]);
  const enter = useCallback((given: string | null) => {
    if (given === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, given);
    setKey(given);
  }, []);
  if (role !== null)
    return (
      <Inside
        api={api}
        role={role}
        hasKey={key !== null}
        leave={() => {
          enter(null);
        }}
      />
    );
  return refusal === null ? null : <KeyPage refusal={refusal} wasGiven={key !== null} onKey={enter} />;
};

const Inside = (props: { api: Api; role: Role; hasKey: boolean; leave: () => void }): JSX.Element => {
  const { api, role, hasKey, leave } = props;
  const store = useMemo(() => new LiveStore(api), [api]);
  useEffect(() => {
    store.start();
    return () => {
      store.stop();
    };
  }, [store]);
  const place = usePlace();
  useEffect(() => {
    document.title = `${PAGES.find(([page]) => page === place.page)?.[1] ?? 'Console'} · OpenClaw-RL`;
  }, [place]);
  return (
    <ConsoleContext.Provider value={{ api, role, store }}>
      <a class="skip" href="#main" onClick={skip}>
        To the content
      </a>
      <header class="bar">
        <strong class="brand">OpenClaw-RL</strong>
        <nav aria-label="Pages">
          {PAGES.map(([page, name]) => (
            <a key={page} href={`#/${page}`} aria-current={place.page === page ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <span class="bar-end">
          <Pulse />
          <span class="role">{role}</span>
          <ThemeSwitch />
          {hasKey && (
            <button type="button" class="quiet" onClick={leave}>
              Leave
            </button>
          )}
        </span>
      </header>
      <main id="main" tabIndex={-1}>
        <Page place={place} />
      </main>
    </ConsoleContext.Provider>
  );
};

const skip = (event: Event): void => {
  event.preventDefault();
  document.getElementById('main')?.focus();
};

const Page = ({ place }: { place: Place }): JSX.Element => {
  switch (place.page) {
    case 'turns':
      return place.id === null ? <TurnsPage query={place.query} /> : <TurnPage key={place.id} id={place.id} />;
    case 'learning':
      return <LearningPage />;
    case 'sessions':
      return place.id === null ? <SessionsPage /> : <SessionPage key={place.id} session={place.id} />;
    case 'feedback':
      return <FeedbackPage />;
    default:
      return <NowPage />;
  }
};

const Pulse = (): JSX.Element => {
  const { isLive } = useLive();
  return (
    <span class={`pulse ${isLive ? 'is-live' : ''}`} role="status">
      {isLive ? 'live' : 'waiting'}
    </span>
  );
};
