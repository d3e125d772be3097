import type { JSX } from 'preact';
import { useState } from 'preact/hooks';

const KEY = 'openclaw-rl.console.theme';
const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

const stored = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'auto';

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

const apply = (theme: Theme): void => {
  const bySystem = systemIsDark.matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = theme === 'auto' ? bySystem : theme;
  dispatchEvent(new Event('themechange'));
};
apply(stored());
systemIsDark.addEventListener('change', () => {
  apply(stored());
});

/** As the system has it, light, or dark. */
export const ThemeSwitch = (): JSX.Element => {
  const [theme, setTheme] = useState(stored);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'auto';
  const take = (): void => {
    localStorage.setItem(KEY, next);
    apply(next);
    setTheme(next);
  };
  return (
    <button type="button" class="quiet" onClick={take} aria-label={`Theme: ${theme}. Change to ${next}`}>
      {{ auto: '◐', light: '☀', dark: '☾' }[theme]}
    </button>
  );
};
