import { httpUrl, oneOf, optional, text } from '../kinds';
import { Secret, Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

export const TRAINER_BACKENDS = ['file', 'pocket'] as const;
export type TrainerBackendName = (typeof TRAINER_BACKENDS)[number];

export const BATCH_FORMATS = ['jsonl', 'parquet', 'both'] as const;
export type BatchFormat = (typeof BATCH_FORMATS)[number];

const variable = text('the name of an environment variable that holds the key', /^[A-Za-z_]\w*$/);

/** [trainer]: the trainer of this repository, `npm run trainer`. */
export class TrainerSettings extends SettingsSection {
  @Setting(
    'What the trainer does with a batch',
    oneOf(TRAINER_BACKENDS, 'slime has a loop of its own, in deploy/slime'),
  )
  readonly backend: TrainerBackendName = 'file';

  @Setting('Name of the trainer at the door', text('1 to 128 visible ASCII characters', /^[\x21-\x7e]{1,128}$/))
  readonly name: string = 'trainer';

  @Setting("URL of the trainer's door; the trainer of npm start takes its own door", optional(httpUrl()), {
    shownDefault: 'door.port on this machine',
  })
  readonly doorUrl: string | null = null;

  @Setting("Name of the environment variable with the door's key", optional(variable), {
    secret: true,
    shownDefault: 'the first of door.api_keys, if there is one',
  })
  readonly doorKeyEnv: string | null = null;

  @Setting('Folder of the batches that the file backend writes', text('path of a folder'))
  readonly dir: string = '.openclaw-rl/batches';

  @Setting('What the file backend writes', oneOf(BATCH_FORMATS))
  readonly format: BatchFormat = 'both';

  /** The door's key: the value of the variable that `doorKeyEnv` names. */
  @Secret()
  readonly doorKey: string | null = null;
}
