import { fraction } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [session]: when a conversation is over. */
export class SessionSettings extends SettingsSection {
  // Session state lives 48 hours in its bucket, and must live over twice the idle time.
  @Setting('Minutes without a turn after which a session ends', fraction({ min: 0.001, max: 1440 }))
  readonly idleMinutes: number = 30;

  @Setting(
    'Longest that an answer may take; a turn without its end counts as lost after it',
    fraction({ min: 0.001, max: 1440 }),
  )
  readonly answerMinutes: number = 60;
}
