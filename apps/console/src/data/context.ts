import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { ApiError, type Api, type Role } from './api';
import type { LiveState, LiveStore } from './store';

export interface Console {
  readonly api: Api;
  readonly role: Role;
  readonly store: LiveStore;
}

export const ConsoleContext = createContext<Console | null>(null);

/** Thrown when a page stands outside of the app. */
export class NoConsoleError extends Error {
  override readonly name = 'NoConsoleError';
}

export const useConsole = (): Console => {
  const found = useContext(ConsoleContext);
  if (found === null) throw new NoConsoleError('the console’s context is missing');
  return found;
};

/** The live state; whoever uses it is drawn anew when it changes. */
export const useLive = (): LiveState => {
  const { store } = useConsole();
  const [state, setState] = useState(store.state);
  useEffect(() => {
    setState(store.state);
    return store.subscribe(() => {
      setState(store.state);
    });
  }, [store]);
  return state;
};

export type Loaded<Value> =
  { readonly value: Value; readonly error: null } | { readonly value: null; readonly error: string | null };

/** Asks once, and again whenever `again` changes. The last answer stays until the next one is there. */
export const useAnswer = <Value>(ask: () => Promise<Value>, again: readonly unknown[]): Loaded<Value> => {
  const [loaded, setLoaded] = useState<Loaded<Value>>({ value: null, error: null });
  useEffect(() => {
    let isCurrent = true;
    ask().then(
      (value) => {
        if (isCurrent) setLoaded({ value, error: null });
      },
      (error: unknown) => {
        if (isCurrent) setLoaded({ value: null, error: error instanceof ApiError ? error.message : String(error) });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, again);
  return loaded;
};
