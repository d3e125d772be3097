import { flag, fraction, httpUrl } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [tracing]: spans of every turn, for a collector of OpenTelemetry. */
export class TracingSettings extends SettingsSection {
  @Setting('Whether spans are sent: how long a turn takes where, without a word of it', flag())
  readonly enabled: boolean = false;

  @Setting('Collector that spans are sent to by OTLP over HTTP, with or without /v1/traces', httpUrl())
  readonly endpoint: string = 'http://127.0.0.1:4318';

  @Setting('Share of the turns that are traced, the same in every service', fraction({ min: 0, max: 1 }))
  readonly sampleRatio: number = 1;
}
