import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus, type ScannedInfo } from '@app/bus';
import { FeedbackGiven } from '@app/contracts';
import { setNewest } from './set-newest';
import { StreamFollower } from './stream-follower';
import { SampleIndex } from './sample-index';

const NO_BODY = new Uint8Array();
/** A score that came too late waits for an outcome in vain. */
const MAX_SCORES = 16_384;

/**
 * Scores that people have given to turns without an outcome yet: a person's score replaces the votes also where both
 * waited while no submitter ran, in whatever order they are worked on. Of too many the oldest are forgotten.
 */
@Injectable()
export class FeedbackIndex implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly scores = new Map<string, 1 | -1 | 0>();
  private readonly follower: StreamFollower;

  constructor(bus: Bus, index: SampleIndex) {
    this.follower = new StreamFollower(bus, {
      stream: FeedbackGiven.stream,
      filter: FeedbackGiven.filter,
      onInfo: (message) => {
        this.add(message);
      },
      onReset: () => {
        this.scores.clear();
      },
    });
    index.onSettled(({ turnId }) => this.scores.delete(turnId));
  }

  onApplicationBootstrap(): void {
    void this.follower.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.follower.stop();
  }

  /** The newest score for a turn without an outcome, or null. Waits until feedback from before the start has been read. */
  async scoreOf(turnId: string): Promise<1 | -1 | 0 | null> {
    await this.follower.whenStarted();
    return this.scores.get(turnId) ?? null;
  }

  private add(message: ScannedInfo): void {
    try {
      const { turnId, score } = FeedbackGiven.decodeInfo({ ...message, data: NO_BODY });
      if (score !== undefined) setNewest(this.scores, [turnId, score], MAX_SCORES);
    } catch {
      // Its own delivery reports the malformed message.
    }
  }
}
