import { oneOf } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_FORMATS = ['text', 'json'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** [logs] */
export class LogsSettings extends SettingsSection {
  @Setting('Least level that is logged', oneOf(LOG_LEVELS))
  readonly level: LogLevel = 'info';

  @Setting('Lines for people, or JSON for programs that collect logs', oneOf(LOG_FORMATS))
  readonly format: LogFormat = 'text';
}
