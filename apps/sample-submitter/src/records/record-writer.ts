import { Injectable } from '@nestjs/common';
import { OutageError, type Delivery } from '@app/bus';
import type { SettleReason } from '@app/contracts';
import { Telemetry } from '@app/telemetry';
import { toRecord } from './record';
import { RecordFiles } from './record-files';
import { RecordSources } from './record-sources';

const DISK_PAUSE_MS = 2000;

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
    private readonly files: RecordFiles,
    private readonly telemetry: Telemetry,
  ) {}

  /** @throws OutageError while the turn is not stored yet, or the disk takes nothing: the line comes again until it is written. */
  async write(delivery: Delivery): Promise<void> {
    const parts = await this.sources.gather(delivery);
    const { settled, turn, session } = parts;
    const isEarly = turn === null && SAID_BEFORE_THE_TURN.has(settled.reason);
    if (isEarly && delivery.deliveries <= DELIVERIES_TO_WAIT) {
      throw new OutageError(`turn ${settled.turnId} is not stored yet`, TURN_PAUSE_MS);
    }
    const line = {
      policyVersion: settled.policyVersion ?? turn?.info.policyVersion ?? 0,
      session,
      turnId: settled.turnId,
      json: JSON.stringify(toRecord(parts)),
    };
    try {
      await this.files.append(line);
    } catch (error) {
      this.telemetry.metrics.records.inc({ result: 'failed' });
      throw new OutageError(`records cannot be written: ${String(error)}`, DISK_PAUSE_MS, { cause: error });
    }
    this.telemetry.metrics.records.inc({ result: 'written' });
  }
}
