import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

const KEY = 'openclaw-rl.console.theme';
const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const stored = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto';

const apply = (theme: Theme): void => {
  if (theme === 'auto') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
};
apply(stored());

/** As the system has it, light, or dark. */
export const ThemeSwitch = (): JSX.Element => {
  const [theme, setTheme] = useState(stored);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
  const take = (): void => {
    localStorage.setItem(KEY, next);
    apply(next);
    setTheme(next);
    dispatchEvent(new Event('themechange'));
  };
  return (
    <button type="button" class="quiet" onClick={take} aria-label={`Theme: ${theme}. Change to ${next}`}>
      {{ auto: '◐', light: '☀', dark: '☾' }[theme]}
    </button>
  );
};
