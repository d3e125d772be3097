import { apiKeyFile, apiKeyList } from '../api-keys';
import { flag, fraction, text, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [gateway]: the door for chat clients. */
export class GatewaySettings extends SettingsSection {
  @Setting('Address to listen on', text('an address or host name', /^[\w.:-]+$/), { aliases: ['HOST'] })
  readonly host: string = '127.0.0.1';

  @Setting('Port to listen on (0: a free one)', whole({ min: 0, max: 65_535 }), { aliases: ['PORT'] })
  readonly port: number = 30_000;

  /** Every accepted key: of the list, of the file, and SGLANG_API_KEY. */
  @Setting('Bearer keys of chat clients; SGLANG_API_KEY adds one', apiKeyList, { secret: true })
  readonly apiKeys: readonly string[] = [];

  @Setting('File with more bearer keys', apiKeyFile)
  readonly apiKeysFile: string | null = null;

  @Setting('Serve without keys on an address that others can reach', flag())
  readonly allowUnauthenticated: boolean = false;

  @Setting('Largest request body in MiB', whole({ min: 1, max: 1024 }))
  readonly bodyLimitMb: number = 32;

  @Setting('Requests in progress at once; more get 429', whole({ min: 1, max: 100_000 }))
  readonly maxConcurrency: number = 256;

  @Setting('Seconds to connect to the policy', fraction({ min: 0.05, max: 600 }))
  readonly connectTimeoutS: number = 5;

  @Setting("Seconds to the policy's first byte", fraction({ min: 0.05, max: 3600 }))
  readonly firstByteTimeoutS: number = 300;

  @Setting("Seconds between two pieces of the policy's answer", fraction({ min: 0.05, max: 3600 }))
  readonly idleTimeoutS: number = 120;

  @Setting('Memory in MiB for turns that wait for the bus', whole({ min: 1, max: 65_536 }))
  readonly captureBufferMb: number = 64;
}
