import { flag, fraction, gpuShare, optional, urlList, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

const share = optional(gpuShare());
const parallel = optional(whole({ min: 1, max: 1024 }));

/** A number of GPUs, or their numbers as a text such as `0-3,6`. */
export type GpuShare = number | string;

/** [pools]: which GPUs do what. */
export class PoolsSettings extends SettingsSection {
  @Setting('GPUs of the machine', whole({ min: 1, max: 1024 }), { aliases: ['NUM_GPUS'] })
  readonly gpus: number = 8;

  @Setting('GPUs of the trainer', share, { aliases: ['ACTOR_GPUS'], shownDefault: '4; all with `slime.colocate`' })
  readonly trainerGpus: GpuShare | null = null;

  @Setting('GPUs of the policy', share, { aliases: ['ROLLOUT_GPUS'], shownDefault: '2; all with `slime.colocate`' })
  readonly policyGpus: GpuShare | null = null;

  @Setting('GPUs of the judge', share, {
    aliases: ['PRM_GPUS'],
    shownDefault: '2, or all with `slime.colocate`; 0 where the judge has no server of its own',
  })
  readonly prmGpus: GpuShare | null = null;

  @Setting('GPUs that the trainer splits the model over', parallel, { shownDefault: 'all of its GPUs' })
  readonly trainerTp: number | null = null;

  @Setting('GPUs of one policy engine', parallel, { shownDefault: 'its GPUs, shared out among its engines' })
  readonly policyTp: number | null = null;

  @Setting('GPUs of one judge engine', parallel, { shownDefault: 'its GPUs, shared out among its engines' })
  readonly prmTp: number | null = null;

  @Setting('Base URLs of the policy engines; sessions are shared out among them', urlList(), {
    shownDefault: '`server.base_url`',
  })
  readonly policyEngines: readonly string[] = [];

  @Setting("`server.base_url` is SGLang's router in front of `pools.policy_engines`, and shares out by session", flag())
  readonly policyRouter: boolean = false;

  @Setting('Base URLs of the judge engines; the one with the least to do is asked', urlList(), {
    shownDefault: '`server.judge_base_url`',
  })
  readonly prmEngines: readonly string[] = [];

  @Setting(
    'Seconds between two looks at each engine of the policy, and at each of several of judge or teacher',
    fraction({ min: 0.05, max: 3600 }),
  )
  readonly checkEveryS: number = 2;

  @Setting('Failures in a row after which an engine of several gets no more requests', whole({ min: 1, max: 1000 }))
  readonly ejectFailures: number = 3;

  @Setting('Seconds that it gets none at least', fraction({ min: 0.05, max: 3600 }))
  readonly ejectS: number = 10;
}
