import { Module } from '@nestjs/common';
import { Bus } from '@app/bus';
import { answerRunning, PolicyWatch } from '@app/pools';
import { Telemetry } from '@app/telemetry';
import { Gate } from './gate';

/** The policy's shared state as this replica sees it. */
@Module({
  providers: [
    {
      provide: PolicyWatch,
      inject: [Bus, Telemetry],
      useFactory: (bus: Bus, { metrics }: Telemetry): PolicyWatch => {
        const watch = new PolicyWatch(bus);
        watch.onChange(({ version, gate }) => {
          metrics.policyVersion.set(version);
          metrics.gateClosed.set(gate.state === 'serving' ? 0 : 1);
        });
        return watch;
      },
    },
    {
      provide: Gate,
      inject: [PolicyWatch, Bus, Telemetry],
      useFactory: (policy: PolicyWatch, bus: Bus, { metrics }: Telemetry): Gate => {
        const gate = new Gate(policy, {
          onWaited: (outcome, seconds) => {
            metrics.gateHeldSeconds.observe({ outcome }, seconds);
          },
          onNewWeights: (seconds) => {
            metrics.newWeightsSeconds.observe(seconds);
          },
        });
        // Without a bus nobody asks.
        answerRunning(bus, gate).catch(() => undefined);
        return gate;
      },
    },
  ],
  exports: [PolicyWatch, Gate],
})
export class GateModule {}
