import { Injectable } from '@nestjs/common';
import { OutageError } from '@app/bus';
import { Telemetry } from '@app/telemetry';
import { RecordFiles, type RecordLine } from './record-files';

const DISK_PAUSE_MS = 2000;

/** Writes lines of the records and counts them. */
@Injectable()
export class LineWriter {
  constructor(
    private readonly files: RecordFiles,
    private readonly telemetry: Telemetry,
  ) {}

  /** @throws OutageError where the disk takes nothing: the line comes again until it is written. */
  async write({
    record,
    ...place
  }: Omit<RecordLine, 'json'> & { readonly record: Readonly<Record<string, unknown>> }): Promise<void> {
    const { records } = this.telemetry.metrics;
    try {
      await this.files.append({ ...place, json: JSON.stringify(record) });
    } catch (error) {
      records.inc({ result: 'failed' });
      throw new OutageError(`records cannot be written: ${String(error)}`, DISK_PAUSE_MS, { cause: error });
    }
    records.inc({ result: 'written' });
  }
}
