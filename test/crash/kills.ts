import type { Random } from './random';
import type { App } from './service';
import type { CrashStack } from './stack';
import { pause, type Stop } from './waiting';

export type Target = App | 'nats';

export interface KillPlan {
  readonly targets: readonly Target[];
  /** Shortest and longest time between two kills, and that a killed one stays down, in milliseconds. */
  readonly everyMs: readonly [number, number];
  readonly downMs: readonly [number, number];
}

/** Everything that can be killed. */
export const targetsOf = ({ apps }: CrashStack): readonly Target[] => [...apps, 'nats'];

/** `each` kills of every kind, in an order that the seed decides. */
export const killPlan = (random: Random, each: number, { targets, ...times }: KillPlan): KillPlan => ({
  ...times,
  targets: random.shuffle(targets.flatMap((target) => Array<Target>(each).fill(target))),
});

/** Kills one after the other and starts each again after a moment; the next death does not wait for it. */
export class Killer {
  readonly counts = new Map<Target, number>();
  private readonly revivals: Promise<void>[] = [];

  constructor(
    private readonly stack: CrashStack,
    private readonly random: Random,
    private readonly say: (line: string) => void,
  ) {}

  async run(plan: KillPlan, stop: Stop): Promise<void> {
    for (const target of plan.targets) {
      await pause(this.random.whole(...plan.everyMs), stop);
      const downMs = this.random.whole(...plan.downMs);
      const replica = this.random.next();
      if (stop.isSet) break;
      if (target === 'nats') await this.killNats(downMs, stop);
      else await this.killService(target, { replica, downMs, stop });
    }
    await Promise.all(this.revivals);
  }

  private count(target: Target): void {
    this.counts.set(target, (this.counts.get(target) ?? 0) + 1);
  }

  private async killNats(downMs: number, stop: Stop): Promise<void> {
    this.say(`kill -9 nats-server, for ${downMs} ms`);
    this.count('nats');
    await this.stack.killNats();
    await pause(downMs, stop);
    await this.stack.startNats();
  }

  private async killService(app: App, how: { replica: number; downMs: number; stop: Stop }): Promise<void> {
    const replicas = this.stack.of(app);
    const chosen = replicas[Math.floor(how.replica * replicas.length)]!;
    const service = chosen.isRunning ? chosen : (replicas.find(({ isRunning }) => isRunning) ?? chosen);
    if (!service.isRunning) await service.whenUp();
    this.say(`kill -9 ${service.name}, for ${how.downMs} ms`);
    this.count(app);
    await service.kill();
    this.revivals.push(
      pause(how.downMs, how.stop).then(async () => {
        service.start();
        await service.whenUp();
      }),
    );
  }
}
