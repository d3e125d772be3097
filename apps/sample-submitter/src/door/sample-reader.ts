import { Injectable, Logger } from '@nestjs/common';
import { Bus } from '@app/bus';
import { Settings } from '@app/config';
import { TurnSettled } from '@app/contracts';
import {
  batchRewards,
  sampleAdvantages,
  sampleFromFrame,
  sampleToJson,
  type Sample,
  type SampleJson,
} from '@app/sample';
import { errorName, lineOn, Telemetry } from '@app/telemetry';

const READ_AT_ONCE = 16;

/** Samples as they were read: those that are there, and the sequences of those that are not. */
export interface ReadSamples {
  readonly samples: readonly SampleJson[];
  readonly gone: readonly number[];
}

/** Reads samples by their sequence, checked, in the JSON form that trainers get: with their rewards as a batch, and the token advantages of their method. */
@Injectable()
export class SampleReader {
  private readonly logger = new Logger('door');

  constructor(
    private readonly bus: Bus,
    private readonly telemetry: Telemetry,
    private readonly settings: Settings,
  ) {}

  /** @throws BusUnavailableError */
  async read(sequences: readonly number[]): Promise<ReadSamples> {
    const samples: Sample[] = [];
    const gone: number[] = [];
    for (let i = 0; i < sequences.length; i += READ_AT_ONCE) {
      const chunk = sequences.slice(i, i + READ_AT_ONCE);
      const read = await Promise.all(chunk.map((sequence) => this.readOne(sequence)));
      read.forEach((sample, k) => {
        if (sample !== null) samples.push(sample);
        else gone.push(chunk[k] ?? 0);
      });
    }
    if (gone.length > 0) this.telemetry.metrics.leases.inc({ operation: 'lease', status: 'sample_gone' }, gone.length);
    const rewards = batchRewards(samples, this.settings.reward.normalization);
    return { samples: samples.map((sample, i) => asLeased(sample, rewards[i] as number)), gone };
  }

  private async readOne(sequence: number): Promise<Sample | null> {
    const message = await this.bus.readAt(TurnSettled.stream, sequence);
    if (message === null) return null;
    try {
      const sample = sampleFromFrame(TurnSettled.decode(message).body);
      return { ...sample, index: sequence, group_index: sequence };
    } catch (error) {
      this.logger.error(
        lineOn(message.subject, `sample ${sequence} cannot be read and is left out: ${errorName(error)}`),
      );
      return null;
    }
  }
}

const asLeased = (sample: Sample, reward: number): SampleJson => ({
  ...sampleToJson(sample),
  normalized_reward: reward,
  advantages: [...sampleAdvantages(sample, reward)],
});
