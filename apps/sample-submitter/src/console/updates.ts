import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { PolicyUpdated, type UpdateRow } from '@app/contracts';
import { Policy } from '../policy/policy';

/** Updates that the console shows. */
const MOST = 200;
const READ_AT_ONCE = 16;

/** What trainers have said of their updates, read by subject, each once. */
@Injectable()
export class Updates {
  private readonly known = new Map<number, UpdateRow>();

  constructor(
    private readonly bus: Bus,
    private readonly policy: Policy,
  ) {}

  /** Of the newest versions, oldest first. @throws BusUnavailableError */
  async list(): Promise<UpdateRow[]> {
    const newest = this.policy.current.version;
    const first = Math.max(1, newest - MOST + 1);
    const missing = Array.from({ length: newest - first + 1 }, (_, i) => first + i).filter(
      (version) => !this.known.has(version),
    );
    for (let i = 0; i < missing.length; i += READ_AT_ONCE) {
      await Promise.all(missing.slice(i, i + READ_AT_ONCE).map((version) => this.read(version)));
    }
    for (const version of this.known.keys()) if (version < first || version > newest) this.known.delete(version);
    return [...this.known.values()].sort((a, b) => a.version - b.version);
  }

  private async read(version: number): Promise<void> {
    const update = await this.bus.read(PolicyUpdated, String(version));
    if (update === null) return;
    const { trainer, outcome, startedAt, endedAt, samples } = update.info;
    const { metrics } = update.body.head;
    this.known.set(version, { version, trainer, outcome, startedAt, endedAt, samples, metrics });
  }
}
