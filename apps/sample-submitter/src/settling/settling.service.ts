import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { TurnCompleted, TurnSettled } from '@app/contracts';
import { Settings } from '@app/config';
import { SessionOutcomes } from '../outcome/session-outcomes';
import { needsOutcome } from './settle';
import { Settler } from './settler';
import type { Known } from './turn-findings';

/** What came of something that was said about a turn. `late`: it had its outcome already. */
export type Fate = 'used' | 'late' | 'waiting';

/** Makes the one outcome of each turn whose halves are all there, or lets it wait for the outcome of its session. */
@Injectable()
export class SettlingService {
  constructor(
    private readonly bus: Bus,
    private readonly settings: Settings,
    private readonly settler: Settler,
    private readonly outcomes: SessionOutcomes,
  ) {}

  /** @throws BusUnavailableError */
  async settle(turnId: string, known: Known): Promise<Fate> {
    const turn = await this.bus.read(TurnCompleted, turnId);
    const { reward } = this.settings;
    const integrated = reward.integrated ? reward : null;
    const session = known.session ?? turn?.info.namedSession;
    if (turn === null || session === undefined || !needsOutcome(turn.info.exclusion, known.verdict, { integrated })) {
      return (await this.settler.settle(turnId, turn, known)) ? 'used' : 'late';
    }
    // Delivered once more: it must not wait again.
    if ((await this.bus.read(TurnSettled, turnId)) !== null) return 'late';
    await this.outcomes.apply(session, [{ kind: 'waits', turnId, arrivedAt: turn.info.arrivedAt }]);
    return 'waiting';
  }
}
