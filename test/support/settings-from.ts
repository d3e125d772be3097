import { loadSettings, type Settings } from '@app/config';

/** Settings of a test: from these variables alone, never from an openclaw-rl.toml that lies in the folder. */
export const settingsFrom = (env: Readonly<Record<string, string>>): Settings => loadSettings(env, () => null);
