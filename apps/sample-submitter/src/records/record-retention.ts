import { Injectable, Logger } from '@nestjs/common';
import { Settings } from '@app/config';
import type { PolicyState } from '@app/pools';
import { Policy } from '../policy/policy';
import { RecordFiles } from './record-files';

/** Removes records of older policy versions when the version rises (`records.keep_versions`). */
@Injectable()
export class RecordRetention {
  private readonly logger = new Logger('records');
  private version = -1;

  constructor(
    private readonly settings: Settings,
    private readonly files: RecordFiles,
    policy: Policy,
  ) {
    policy.onChange((state) => {
      void this.follow(state);
    });
  }

  private async follow({ version }: PolicyState): Promise<void> {
    const { enabled, keepVersions } = this.settings.records;
    if (!enabled || keepVersions === 0 || version <= this.version) return;
    this.version = version;
    try {
      await this.files.removeBelow(version - keepVersions + 1);
    } catch (error) {
      this.logger.warn(`records of older versions were not removed: ${String(error)}`);
    }
  }
}
