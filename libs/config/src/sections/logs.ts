import { oneOf } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

export const LOG_LEVELS = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** [logs] */
export class LogsSettings extends SettingsSection {
  @Setting('Least level that is logged', oneOf(LOG_LEVELS))
  readonly level: LogLevel = 'info';
}
