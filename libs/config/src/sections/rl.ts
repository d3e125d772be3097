import { oneOf, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

export const ALGORITHMS = ['binary'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** [rl]: what is trained. */
export class RlSettings extends SettingsSection {
  @Setting('Training method', oneOf(ALGORITHMS, 'this version trains with binary rewards; it has no hint teacher yet'))
  readonly algorithm: Algorithm = 'binary';

  @Setting('Samples in one training batch', whole({ min: 1, max: 4096 }))
  readonly rolloutSteps: number = 16;

  @Setting(
    'Weight updates that a sample may be behind; older ones are not handed out',
    whole({ min: 0, max: 1_000_000 }),
  )
  readonly maxStaleness: number = 2;
}
