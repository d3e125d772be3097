import { flag, fraction, oneOf } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

const weight = fraction({ min: 0, max: 1000 });

/** What rewards of the same step are divided by once their mean is subtracted: their standard deviation, or nothing. */
const SCALES = ['std', 'none'] as const;
/** What a reward becomes that has no other to be compared with: it stays, or it trains nothing. */
const SINGLETONS = ['reward', 'zero'] as const;

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

  @Setting(
    'What integrated rewards of one step in a batch are divided by, less their mean: their standard deviation, or nothing',
    oneOf(SCALES),
  )
  readonly stepScale: (typeof SCALES)[number] = 'std';

  @Setting('Added to that standard deviation', fraction({ min: 1e-12, max: 1000 }))
  readonly stepEpsilon: number = 1e-6;

  @Setting(
    'What an integrated reward becomes that is alone of its step in a batch: it stays, or is 0',
    oneOf(SINGLETONS),
  )
  readonly stepSingleton: (typeof SINGLETONS)[number] = 'reward';

  /** How integrated rewards are compared with those of the same step. */
  get normalization(): {
    readonly scale: RewardSettings['stepScale'];
    readonly epsilon: number;
    readonly ofSingleton: RewardSettings['stepSingleton'];
  } {
    return { scale: this.stepScale, epsilon: this.stepEpsilon, ofSingleton: this.stepSingleton };
  }
}
