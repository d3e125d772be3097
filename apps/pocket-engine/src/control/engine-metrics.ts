import { Injectable } from '@nestjs/common';
import { Telemetry } from '@app/telemetry';
import { Scheduler } from '../generation/scheduler';

/** Reads the scheduler whenever somebody asks for the metrics. */
@Injectable()
export class EngineMetrics {
  constructor(telemetry: Telemetry, scheduler: Scheduler) {
    const { pocketTokens, pocketAnswers } = telemetry.metrics;
    let counted = 0;
    telemetry.readBeforeExport(() => {
      pocketTokens.inc(scheduler.generatedCount - counted);
      counted = scheduler.generatedCount;
      pocketAnswers.set({ state: 'running' }, scheduler.runningCount);
      pocketAnswers.set({ state: 'waiting' }, scheduler.waitingCount);
    });
  }
}
