import { Injectable } from '@nestjs/common';
import { OutageError, type Delivery } from '@app/bus';
import { Telemetry } from '@app/telemetry';
import { toRecord } from './record';
import { RecordFiles } from './record-files';
import { RecordSources } from './record-sources';

const DISK_PAUSE_MS = 2000;

/** Writes the record of one settled turn. */
@Injectable()
export class RecordWriter {
  constructor(
    private readonly sources: RecordSources,
    private readonly files: RecordFiles,
    private readonly telemetry: Telemetry,
  ) {}

  /** @throws OutageError while the disk takes nothing: the line comes again until it is written. */
  async write(delivery: Delivery): Promise<void> {
    const parts = await this.sources.gather(delivery);
    const { settled, turn, session } = parts;
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
