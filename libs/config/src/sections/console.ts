import { apiKeyList } from '../api-keys';
import { flag } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [console]: the web page at /console of the gateway. */
export class ConsoleSettings extends SettingsSection {
  @Setting('Serve the console', flag())
  readonly enabled: boolean = true;

  @Setting('Bearer keys that see turns, votes and learning without any text; chat keys may be among them', apiKeyList, {
    secret: true,
  })
  readonly viewerKeys: readonly string[] = [];

  @Setting(
    'Bearer keys that may also read text where records are on, rate turns and delete sessions; chat keys may be among them',
    apiKeyList,
    { secret: true },
  )
  readonly operatorKeys: readonly string[] = [];
}
