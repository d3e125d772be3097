import { resolve } from 'node:path';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus } from '@app/bus';
import { Settings } from '@app/config';
import { CONSUMERS, type ConsumerDefinition } from '@app/contracts';
import { FeedbackRecorder } from './feedback-recorder';
import { RecordWriter } from './record-writer';

const SLOTS = 4;

/** Writes a record of every settled turn and of every feedback, where records are switched on. */
@Injectable()
export class RecordsService implements OnApplicationBootstrap {
  private readonly logger = new Logger('records');

  constructor(
    private readonly bus: Bus,
    private readonly settings: Settings,
    private readonly turns: RecordWriter,
    private readonly feedback: FeedbackRecorder,
  ) {}

  onApplicationBootstrap(): void {
    const { enabled, dir } = this.settings.records;
    if (enabled) {
      this.logger.log(`records on: conversations are written to ${resolve(dir)}`);
      this.bus.consume({
        consumer: CONSUMERS.records,
        slots: SLOTS,
        handle: (delivery) => this.turns.write(delivery),
      });
      this.bus.consume({
        consumer: CONSUMERS.feedbackRecords,
        slots: SLOTS,
        handle: (delivery) => this.feedback.write(delivery),
      });
    } else {
      this.logger.log('records off (records.enabled)');
      void this.forgetConsumer(CONSUMERS.records);
      void this.forgetConsumer(CONSUMERS.feedbackRecords);
    }
  }

  /** What nobody reads must not be kept for anybody: the place of an earlier run, with records on, goes away. */
  private async forgetConsumer({ stream, durable }: ConsumerDefinition): Promise<void> {
    try {
      await this.bus.ready();
      await this.bus.connection.current().jsm.consumers.delete(stream, durable);
    } catch {
      // There is none: records have never been on.
    }
  }
}
