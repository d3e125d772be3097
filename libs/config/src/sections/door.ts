import { apiKeyFile, apiKeyList } from '../api-keys';
import { text, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [door]: the trainer's door. */
export class DoorSettings extends SettingsSection {
  @Setting('Address to listen on', text('an address or host name', /^[\w.:-]+$/))
  readonly host: string = '127.0.0.1';

  @Setting('Port to listen on (0: a free one)', whole({ min: 0, max: 65_535 }))
  readonly port: number = 30_100;

  /** Every accepted key: of the list and of the file. */
  @Setting('Bearer keys of trainers, apart from the chat keys', apiKeyList, { secret: true })
  readonly apiKeys: readonly string[] = [];

  @Setting('File with more bearer keys', apiKeyFile)
  readonly apiKeysFile: string | null = null;

  @Setting('Seconds that a lease holds if the trainer names none', whole({ min: 1, max: 3600 }))
  readonly leaseS: number = 600;
}
