import { fraction, optional, text, whole } from '../kinds';
import { Secret, Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

const temperature = fraction({ min: 0, max: 2 });

/** [opd]: hints and the teacher that is given them. Hint votes are asked for as [judge] says. */
export class OpdSettings extends SettingsSection {
  @Setting('Longest hint in tokens; a longer one is cut behind a sentence', whole({ min: 16, max: 4096 }))
  readonly maxHintTokens: number = 128;

  @Setting(
    "Whose engine scores answers with the hint: the judge's if it can, else the policy's (auto), or one of the two, or a URL",
    text('auto, prm, policy, or a URL such as http://127.0.0.1:8001', /^(auto|prm|policy|https?:\/\/\S+)$/),
  )
  readonly teacher: string = 'auto';

  @Setting('Model id of the teacher', optional(text('a model id')), {
    shownDefault: "as the engine's other model; for a URL as policy_model",
  })
  readonly teacherModel: string | null = null;

  @Setting(
    "Name of the environment variable with the teacher's key",
    optional(text('the name of an environment variable that holds the key', /^[A-Za-z_]\w*$/)),
    { secret: true, shownDefault: "as the engine's other key; for a URL none" },
  )
  readonly teacherApiKeyEnv: string | null = null;

  @Setting('Answers that a replica has scored at once', whole({ min: 1, max: 1024 }), {
    aliases: ['OPENCLAW_OPD_TEACHER_LP_MAX_CONCURRENCY'],
  })
  readonly teacherConcurrency: number = 3;

  @Setting('Seconds for one call of the teacher', fraction({ min: 0.05, max: 3600 }))
  readonly teacherTimeoutS: number = 120;

  @Setting("Temperature of the teacher's log-probs; engines score at 1 only", temperature)
  readonly teacherTemperature: number = 1;

  @Setting(
    "Temperature of the policy's log-probs where neither request nor server.temperature names one",
    optional(temperature),
  )
  readonly studentTemperature: number | null = null;

  @Setting("The teacher's likeliest tokens that a sample carries for each token (0: none)", whole({ min: 0, max: 64 }))
  readonly distillTopk: number = 0;

  /** The value of the variable that `teacherApiKeyEnv` names. */
  @Secret()
  readonly teacherApiKey: string | null = null;
}
