/**
 * Thrown when the settings cannot be used. The message lists every problem, one a line; each names the setting by its
 * path in the file and by its environment variable, the value that was found (never a secret's) and what is allowed.
 */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly problems: readonly string[]) {
    const count = problems.length === 1 ? 'One setting' : `${problems.length} settings`;
    super(`${count} cannot be used:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}
