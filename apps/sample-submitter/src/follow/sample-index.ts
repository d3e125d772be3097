import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus, type ScannedInfo } from '@app/bus';
import { TurnSettled, type TurnSettledInfo } from '@app/contracts';
import { INITIAL_POLICY_STATE, inRanges, type PolicyState, type SampleView } from '@app/pools';
import { StoredOutcomes } from './stored-outcomes';
import { StreamFollower } from './stream-follower';

const NO_BODY = new Uint8Array();

const readInfo = (message: ScannedInfo): TurnSettledInfo | null => {
  try {
    return TurnSettled.decodeInfo({ ...message, data: NO_BODY });
  } catch {
    // A message that is not ours is no sample and no outcome.
    return null;
  }
};

/** What has become of the turns, as this replica sees it in the stream: unfinished samples, and counts by outcome. */
@Injectable()
export class SampleIndex implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private samples: number[] = [];
  private readonly versions = new Map<number, number>();
  private policyState: PolicyState = INITIAL_POLICY_STATE;
  private readonly outcomes = new StoredOutcomes();
  private readonly listeners = new Set<(info: TurnSettledInfo) => void>();
  private readonly follower: StreamFollower;

  constructor(bus: Bus) {
    this.follower = new StreamFollower(bus, {
      stream: TurnSettled.stream,
      onInfo: (message) => {
        this.add(message);
      },
      onReset: () => {
        this.samples = [];
        this.versions.clear();
        this.outcomes.clear();
      },
    });
  }

  onApplicationBootstrap(): void {
    void this.follower.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.follower.stop();
  }

  /** Resolves when the outcomes from before the start are known. */
  async whenStarted(): Promise<void> {
    await this.follower.whenStarted();
  }

  get view(): SampleView {
    return {
      samples: this.samples,
      seenUpTo: this.follower.seenUpTo,
      streamCreatedAt: this.follower.streamCreatedAt,
      versionOf: (sequence) => this.versions.get(sequence),
    };
  }

  /** Turns by outcome, `sample` or a reason, of everything that the stream held at the last refresh. */
  get counts(): Readonly<Record<string, number>> {
    return this.outcomes.counts;
  }

  /** The samples among them by what they train on. */
  get signalCounts(): Readonly<Record<string, number>> {
    return this.outcomes.signalCounts;
  }

  /** Calls `listener` for every outcome, old and new. */
  onSettled(listener: (info: TurnSettledInfo) => void): void {
    this.listeners.add(listener);
  }

  /** Resolves when every outcome stored before the call is known, and what is no longer stored is forgotten. */
  async refresh(): Promise<void> {
    const { first, deleted } = await this.follower.catchUp();
    const gone = new Set(deleted);
    this.outcomes.keep(first, gone);
    if ((this.samples[0] ?? first) >= first && gone.size === 0) return;
    this.keep((sequence) => sequence >= first && !gone.has(sequence));
  }

  /** Forgets what the policy state says is finished, now and when it comes by later. */
  forgetFinished(state: PolicyState): void {
    this.policyState = state;
    const [oldest] = this.samples;
    if (oldest === undefined || !this.isFinished(oldest)) return;
    this.keep((sequence) => !this.isFinished(sequence));
  }

  private keep(isKept: (sequence: number) => boolean): void {
    this.samples = this.samples.filter(isKept);
    for (const sequence of this.versions.keys()) if (!isKept(sequence)) this.versions.delete(sequence);
  }

  private isFinished(sequence: number): boolean {
    const { streamCreatedAt, done } = this.policyState;
    return streamCreatedAt === this.follower.streamCreatedAt && inRanges(done, sequence);
  }

  private add(message: ScannedInfo): void {
    const info = readInfo(message);
    if (info === null) return;
    this.outcomes.add(message.sequence, {
      outcome: info.reason ?? info.kind,
      // Samples from before there was a teacher do not say it.
      ...(info.kind === 'sample' ? { signal: info.signal ?? 'reward' } : {}),
    });
    if (info.kind === 'sample' && !this.isFinished(message.sequence)) {
      this.samples.push(message.sequence);
      if (info.policyVersion !== undefined) this.versions.set(message.sequence, info.policyVersion);
    }
    for (const listener of this.listeners) listener(info);
  }
}
