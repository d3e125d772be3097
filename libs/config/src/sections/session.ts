import { fraction, textList } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [session]: what belongs to a conversation, and when it is over. */
export class SessionSettings extends SettingsSection {
  // Session state lives 48 hours in its bucket, and must live over twice the idle time.
  @Setting('Minutes without a turn after which a session ends', fraction({ min: 0.001, max: 1440 }))
  readonly idleMinutes: number = 30;

  @Setting(
    'Longest that an answer may take; a turn without its end counts as lost after it',
    fraction({ min: 0.001, max: 1440 }),
  )
  readonly answerMinutes: number = 60;

  @Setting(
    "How heartbeats begin where OpenClaw's heartbeat.prompt is configured, so that they are side turns",
    // They are prose, with commas in it.
    textList('a list of texts that are not empty, each once; one a line in a variable', /\S/, '\n'),
  )
  readonly heartbeatPrompts: readonly string[] = [];
}
