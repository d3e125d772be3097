import { Injectable } from '@nestjs/common';
import { NotYetError, type Delivery } from '@app/bus';
import type { SettleReason } from '@app/contracts';
import { LineWriter } from './line-writer';
import { toRecord } from './record';
import { RecordSources } from './record-sources';

/** A gateway says the outcome of these before it stores the turn, so that a death between the two leaves no turn without one. */
const SAID_BEFORE_THE_TURN: ReadonlySet<SettleReason | undefined> = new Set([
  'side_turn',
  'undelivered',
  'upstream_error',
  'incomplete',
]);
const TURN_PAUSE_MS = 500;
/** Deliveries that wait for the turn; then its gateway has died. */
const DELIVERIES_TO_WAIT = 5;

/** Writes the record of one settled turn. */
@Injectable()
export class RecordWriter {
  constructor(
    private readonly sources: RecordSources,
    private readonly lines: LineWriter,
  ) {}

  /** @throws NotYetError while the turn is not stored yet; OutageError where the disk takes nothing: the line comes again until it is written. */
  async write(delivery: Delivery): Promise<void> {
    const parts = await this.sources.gather(delivery);
    const { settled, turn, session } = parts;
    const isEarly = turn === null && SAID_BEFORE_THE_TURN.has(settled.reason);
    if (isEarly && delivery.deliveries <= DELIVERIES_TO_WAIT) {
      throw new NotYetError(`turn ${settled.turnId} is not stored yet`, TURN_PAUSE_MS);
    }
    await this.lines.write({
      policyVersion: settled.policyVersion ?? turn?.info.policyVersion ?? 0,
      session,
      id: settled.turnId,
      record: toRecord(parts),
    });
  }
}
