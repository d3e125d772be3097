import { fraction, httpUrl, optional, text, whole } from '../kinds';
import { Secret, Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

const model = optional(text('the model id that the server lists under /v1/models'));
const variable = optional(text('the name of an environment variable that holds the key', /^[A-Za-z_]\w*$/));

/** [server]: the OpenAI-compatible servers behind the gateway. URLs are without a trailing slash and without /v1. */
export class ServerSettings extends SettingsSection {
  @Setting('Base URL of the policy, with or without /v1', optional(httpUrl()))
  readonly baseUrl: string | null = null;

  @Setting("Name of the environment variable with the policy server's key", variable, { secret: true })
  readonly apiKeyEnv: string | null = null;

  @Setting('Model id of the policy, as its server calls it', model)
  readonly policyModel: string | null = null;

  @Setting('Model id of the judge, as its server calls it', model, { shownDefault: 'as policy_model' })
  readonly judgeModel: string | null = null;

  @Setting('Base URL of the judge', optional(httpUrl()), { shownDefault: 'as base_url' })
  readonly judgeBaseUrl: string | null = null;

  @Setting("Name of the environment variable with the judge server's key", variable, {
    secret: true,
    shownDefault: 'as api_key_env, if the URL is the same',
  })
  readonly judgeApiKeyEnv: string | null = null;

  @Setting("Folder with the policy's tokenizer and chat template, for SGLang's /generate", optional(text('a folder')))
  readonly tokenizer: string | null = null;

  @Setting('The one model name that clients see', text('a model name'), { aliases: ['SERVED_MODEL_NAME'] })
  readonly servedModelName: string = 'openclaw-rl';

  @Setting('Temperature for requests that name none', optional(fraction({ min: 0, max: 2 })))
  readonly temperature: number | null = null;

  @Setting('top_p for requests that name none', optional(fraction({ min: 0.001, max: 1 })))
  readonly topP: number | null = null;

  @Setting('top_k for requests that name none (-1: all tokens)', optional(whole({ min: -1, max: 1_000_000 })))
  readonly topK: number | null = null;

  /** The policy server's key: the value of the variable that `apiKeyEnv` names. */
  @Secret()
  readonly apiKey: string | null = null;

  /** The judge server's key. */
  @Secret()
  readonly judgeApiKey: string | null = null;
}
