import { Injectable, Logger } from '@nestjs/common';
import { Bus } from '@app/bus';
import { PolicyUpdated } from '@app/contracts';
import type { EndedUpdate } from '@app/pools';
import { Telemetry } from '@app/telemetry';

const MS = 1000;

/** Says how updates ended: to people, to Prometheus, and to whoever listens on the bus. */
@Injectable()
export class UpdateReporter {
  private readonly logger = new Logger('update');

  constructor(
    private readonly bus: Bus,
    private readonly telemetry: Telemetry,
  ) {}

  /** Takes down how an update ended. */
  note(ended: EndedUpdate): void {
    const { policyUpdates, gateClosedSeconds } = this.telemetry.metrics;
    policyUpdates.inc({ outcome: ended.outcome });
    gateClosedSeconds.observe((ended.endedAt - ended.startedAt) / MS);
    const why = ended.reason === undefined ? '' : ` (${ended.reason})`;
    this.logger.log(
      `update of trainer ${ended.trainer} ${ended.outcome}${why}: the policy is version ${ended.version}`,
    );
  }

  /** Tells of new weights, with the trainer's metrics. @throws BusUnavailableError */
  async tell(ended: EndedUpdate, metrics: Readonly<Record<string, number>>): Promise<void> {
    const { outcome, version, trainer, engineVersion, startedAt, endedAt, samples } = ended;
    if (outcome !== 'committed' && outcome !== 'recovered') return;
    await this.bus.publish(PolicyUpdated, [String(version)], {
      info: {
        ...{ version, outcome, trainer, startedAt, endedAt, samples },
        ...(engineVersion === undefined ? {} : { engineVersion }),
      },
      head: { metrics: { ...metrics } },
    });
  }
}
