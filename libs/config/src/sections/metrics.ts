import { text, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [metrics]: /metrics and /healthz of the services that have no port of their own. */
export class MetricsSettings extends SettingsSection {
  @Setting('Address to listen on', text('an address or host name', /^[\w.:-]+$/))
  readonly host: string = '127.0.0.1';

  @Setting('Port to listen on (0: a free one); npm start counts up from it', whole({ min: 0, max: 65_535 }), {
    aliases: ['METRICS_PORT'],
  })
  readonly port: number = 0;
}
