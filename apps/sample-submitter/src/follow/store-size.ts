import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { BUCKETS, STREAM_NAMES } from '@app/contracts';
import { Telemetry } from '@app/telemetry';

const STORED = [...STREAM_NAMES, ...Object.values(BUCKETS).map(({ name }) => `KV_${name}`)];

/** Shows how much of the store every stream and bucket has filled. */
@Injectable()
export class StoreSize {
  constructor(
    private readonly bus: Bus,
    private readonly telemetry: Telemetry,
  ) {
    telemetry.readBeforeExport(() => this.measure());
  }

  /** While the server is away nobody knows, and an old size would look like a new one. */
  private async measure(): Promise<void> {
    const { storeBytes, storeLimitBytes } = this.telemetry.metrics;
    const infos = await this.read().catch(() => []);
    storeBytes.reset();
    storeLimitBytes.reset();
    for (const { config, state } of infos) {
      storeBytes.set({ stream: config.name }, state.bytes);
      if (config.max_bytes > 0) storeLimitBytes.set({ stream: config.name }, config.max_bytes);
    }
  }

  private async read() {
    const { jsm } = this.bus.connection.current();
    return Promise.all(STORED.map((stream) => jsm.streams.info(stream)));
  }
}
