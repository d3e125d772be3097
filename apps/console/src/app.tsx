import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { JSX } from 'preact';
import { Api, ApiError, type Role, type RoleTold } from './data/api';
import { ConsoleContext, useLive } from './data/context';
import type { Place } from './data/place';
import { focusContent, usePlace } from './data/route';
import { LiveStore } from './data/store';
import { FeedbackPage } from './pages/feedback-page';
import { KeyPage, TroublePage } from './pages/key-page';
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
  const [told, setTold] = useState<RoleTold | null>(null);
  const [trouble, setTrouble] = useState<string | null>(null);
  const api = useMemo(() => new Api(key), [key]);
  useEffect(() => {
    setTold(null);
    setTrouble(null);
    api.role().then(setTold, (error: unknown) => {
      setTrouble(error instanceof ApiError ? error.message : String(error));
    });
  }, [api]);
  const enter = useCallback((given: string | null) => {
    if (given === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, given);
    setKey(given);
  }, []);
  if (trouble !== null) return <TroublePage trouble={trouble} />;
  if (told === null) return null;
  if (told.role !== null)
    return (
      <Inside
        api={api}
        role={told.role}
        hasKey={key !== null}
        leave={() => {
          enter(null);
        }}
      />
    );
  return <KeyPage refusal={told.refusal} wasGiven={key !== null} onKey={enter} />;
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
  // What was left by the keyboard is gone with its page; a filter stays where it is.
  const isFirst = useRef(true);
  useEffect(() => {
    if (!isFirst.current) focusContent();
    isFirst.current = false;
  }, [place.page, place.id]);
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
  focusContent();
};

const Page = ({ place }: { place: Place }): JSX.Element => {
  switch (place.page) {
    case 'turns':
      return place.id === null ? <TurnsPage query={place.query} /> : <TurnPage key={place.id} id={place.id} />;
    case 'learning':
      return <LearningPage />;
    case 'sessions':
      return place.id === null ? <SessionsPage /> : <SessionPage key={place.id} name={place.id} />;
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
