import { flag, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [slime]: what waits for trainers, and where they train. */
export class SlimeSettings extends SettingsSection {
  @Setting(
    'Samples that may wait for a trainer; while full, new ones are refused (queue_full)',
    whole({ min: 1, max: 1_000_000 }),
  )
  readonly queueSize: number = 1024;

  @Setting('Trainers that may hold leases at once', whole({ min: 1, max: 256 }))
  readonly numWorkers: number = 4;

  @Setting('Pools may share GPUs', flag())
  readonly colocate: boolean = false;
}
