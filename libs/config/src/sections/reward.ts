import { flag, fraction } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

const weight = fraction({ min: 0, max: 1000 });

/** [reward]: whether the outcome of a session counts for its turns. */
export class RewardSettings extends SettingsSection {
  @Setting("A turn's reward counts the outcome of its session, which it waits for", flag())
  readonly integrated: boolean = false;

  @Setting("Weight of the session's outcome in an integrated reward", weight)
  readonly outcomeWeight: number = 1;

  @Setting("Weight of the mean of the turn's votes in an integrated reward", weight)
  readonly processWeight: number = 1;

  // What waits stands in a bucket for 48 hours, and a session may be idle for 24 of them.
  @Setting(
    'Seconds that a turn waits, after the end of its session, for an outcome that comes as feedback',
    fraction({ min: 0, max: 43_200 }),
  )
  readonly outcomeWaitS: number = 600;
}
