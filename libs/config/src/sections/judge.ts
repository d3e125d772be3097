import { fraction, oneOf, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

export const VERDICT_FORMATS = ['auto', 'boxed', 'json_schema'] as const;
export type VerdictFormat = (typeof VERDICT_FORMATS)[number];

/** [judge]: how turns are judged. */
export class JudgeSettings extends SettingsSection {
  @Setting('Votes per turn', whole({ min: 1, max: 64 }), { aliases: ['PRM_M'] })
  readonly votes: number = 3;

  @Setting('Seconds for one call of a vote', fraction({ min: 0.05, max: 3600 }))
  readonly timeoutS: number = 60;

  @Setting('Attempts for one vote', whole({ min: 1, max: 20 }))
  readonly maxAttempts: number = 4;

  @Setting('Calls in flight per replica', whole({ min: 1, max: 1024 }))
  readonly concurrency: number = 16;

  @Setting('Longest answer of the judge in tokens', whole({ min: 16, max: 131_072 }))
  readonly maxTokens: number = 1024;

  @Setting("The judge's temperature", fraction({ min: 0, max: 2 }))
  readonly temperature: number = 0.6;

  @Setting('How the verdict is asked for', oneOf(VERDICT_FORMATS))
  readonly format: VerdictFormat = 'auto';

  @Setting('Failures in a row after which calls pause', whole({ min: 1, max: 1000 }))
  readonly breakerFailures: number = 5;

  @Setting('Seconds that calls pause', fraction({ min: 0.05, max: 3600 }))
  readonly breakerOpenS: number = 10;
}
