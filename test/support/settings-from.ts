import { loadSettings, type Settings } from '@app/config';

/** Settings of a test: from these variables, and the files that it has, never from an openclaw-rl.toml that lies in the folder. */
export const settingsFrom = (
  env: Readonly<Record<string, string>>,
  readFile: (path: string) => string | null = () => null,
): Settings => loadSettings(env, readFile);
