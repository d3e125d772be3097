import { flag, text, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [records]: conversations written to disk as JSONL. */
export class RecordsSettings extends SettingsSection {
  @Setting('Write records (full texts of conversations)', flag(), { aliases: ['OPENCLAW_RECORD_ENABLED'] })
  readonly enabled: boolean = false;

  @Setting('Folder of the records', text('path of a folder'))
  readonly dir: string = '.openclaw-rl/records';

  @Setting('Policy versions whose records stay (0: all; 1: purge at each update)', whole({ min: 0, max: 1_000_000 }))
  readonly keepVersions: number = 0;
}
