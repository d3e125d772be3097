import { useEffect, useState } from 'preact/hooks';
import { parsePlace, type Place } from './place';

/** Puts the keyboard at the beginning of what the page shows. */
export const focusContent = (): void => {
  document.getElementById('main')?.focus({ preventScroll: true });
};

/** The place in the address, as it changes. */
export const usePlace = (): Place => {
  const [place, setPlace] = useState(() => parsePlace(location.hash));
  useEffect(() => {
    const onChange = (): void => {
      setPlace(parsePlace(location.hash));
      scrollTo(0, 0);
    };
    addEventListener('hashchange', onChange);
    return () => {
      removeEventListener('hashchange', onChange);
    };
  }, []);
  return place;
};
