import { flag, fraction, oneOf, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** `combine` is the published name of `hybrid`, and becomes it. */
export const ALGORITHMS = ['binary', 'opd', 'hybrid', 'combine'] as const;
export type Algorithm = Exclude<(typeof ALGORITHMS)[number], 'combine'>;

const weight = fraction({ min: 0, max: 1000 });

/** [rl]: what is trained. */
export class RlSettings extends SettingsSection {
  @Setting('Training method: rewards, hints, or both', oneOf(ALGORITHMS, 'combine is hybrid'))
  readonly algorithm: Algorithm = 'binary';

  @Setting('Weight of the reward in the advantage', weight, { aliases: ['OPENCLAW_COMBINE_W_RL'] })
  readonly binaryRewardWeight: number = 1;

  @Setting("Weight of the hint teacher's term in the advantage", weight, { aliases: ['OPENCLAW_COMBINE_W_OPD'] })
  readonly opdWeight: number = 1;

  @Setting('Votes are asked for and reported, and make no rewards', flag(), { aliases: ['OPENCLAW_EVAL_MODE'] })
  readonly evalMode: boolean = false;

  @Setting('Samples in one training batch', whole({ min: 1, max: 4096 }))
  readonly rolloutSteps: number = 16;

  @Setting('Batches of one weight update', whole({ min: 1, max: 1000 }))
  readonly updateInterval: number = 1;

  @Setting(
    'Weight updates that a sample may be behind; older ones are not handed out',
    whole({ min: 0, max: 1_000_000 }),
  )
  readonly maxStaleness: number = 2;

  /** Whether scores are trained on, the judge's or a person's: with hints alone they say nothing of how an answer should be. */
  get usesScores(): boolean {
    return this.algorithm !== 'opd';
  }

  /** Whether the judge is asked for scores. */
  get asksJudge(): boolean {
    return this.usesScores || this.evalMode;
  }

  /** Whether the teacher is asked for hints. */
  get asksTeacher(): boolean {
    return this.algorithm !== 'binary';
  }
}
