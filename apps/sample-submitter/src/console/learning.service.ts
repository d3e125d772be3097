import { Injectable } from '@nestjs/common';
import type { Learning } from '@app/contracts';
import { ConsoleIndex } from './console-index';
import { HeldOut } from './held-out';
import { byVersion } from './learning';
import { Updates } from './updates';

/** Says how training goes. */
@Injectable()
export class LearningService {
  constructor(
    private readonly index: ConsoleIndex,
    private readonly updates: Updates,
    private readonly heldOut: HeldOut,
  ) {}

  /** @throws BusUnavailableError */
  async read({ withText }: { readonly withText: boolean }): Promise<Learning> {
    await this.index.ready();
    const updates = await this.updates.list();
    const heldOut = withText ? await this.heldOut.list() : null;
    return { versions: byVersion(this.index.rows.list(), updates), updates, heldOut };
  }

  /** Removes every answer to held-out prompts. Returns of how many versions. @throws BusUnavailableError */
  forgetAnswers(): Promise<number> {
    return this.heldOut.forget();
  }
}
