import { fraction, text, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [nats]: the bus. */
export class NatsSettings extends SettingsSection {
  @Setting(
    'URL of the NATS server (several: separated by commas)',
    text('nats://host:port or tls://host:port', /^(nats|tls):\/\/[^\s,]+(,(nats|tls):\/\/[^\s,]+)*$/),
    { aliases: ['NATS_URL'], shownDefault: 'nats://127.0.0.1:4222; npm start brings a server of its own' },
  )
  readonly url: string = 'nats://127.0.0.1:4222';

  @Setting('Size of the store in GB; the streams share it', fraction({ min: 0.1, max: 10_000 }))
  readonly storeGb: number = 10;

  @Setting('Copies of every stream: 1, or 3 in a cluster', whole({ min: 1, max: 5 }))
  readonly replicas: number = 1;
}
