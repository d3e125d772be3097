import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { PolicyAnswered, type VersionAnswers } from '@app/contracts';

/** Versions whose answers are shown: what they say fits into one reply. */
const MOST = 20;

/** Answers to held-out prompts, as trainers have reported them. */
@Injectable()
export class HeldOut {
  constructor(private readonly bus: Bus) {}

  /** Of the newest versions, oldest first. @throws BusUnavailableError */
  async list(): Promise<VersionAnswers[]> {
    const versions: string[] = [];
    for await (const { subject } of this.stored()) versions.push(subject.slice(subject.lastIndexOf('.') + 1));
    const read = await Promise.all(versions.slice(-MOST).map((version) => this.bus.read(PolicyAnswered, version)));
    return read
      .flatMap((message) => (message === null ? [] : [{ ...message.info, answers: message.body.head.answers }]))
      .sort((a, b) => a.version - b.version);
  }

  /** Removes them all. Returns of how many versions. @throws BusUnavailableError */
  async forget(): Promise<number> {
    let removed = 0;
    for await (const { subject } of this.stored())
      if (await this.bus.remove(PolicyAnswered.stream, subject)) removed += 1;
    return removed;
  }

  private stored(): ReturnType<Bus['scan']> {
    return this.bus.scan(PolicyAnswered.stream, { filter: PolicyAnswered.filter });
  }
}
