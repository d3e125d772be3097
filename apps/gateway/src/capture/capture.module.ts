import { Module } from '@nestjs/common';
import { Bus } from '@app/bus';
import { Settings } from '@app/config';
import { answerRunning, PolicyWatch } from '@app/pools';
import { Telemetry } from '@app/telemetry';
import { Gate } from '../gate/gate';
import { UpstreamModule } from '../upstream/upstream.module';
import { UpstreamService } from '../upstream/upstream.service';
import { BusStart } from './bus-start';
import { Outbox } from './outbox';
import { TurnRecorder } from './turn-recorder';

const MIB = 1024 * 1024;

/** Recording on the side of serving, and the shared policy state that requests are checked against. */
@Module({
  imports: [UpstreamModule],
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
    {
      provide: Outbox,
      inject: [Bus, Settings, Telemetry],
      useFactory: (bus: Bus, settings: Settings, telemetry: Telemetry): Outbox =>
        new Outbox(bus, {
          maxBytes: settings.gateway.captureBufferMb * MIB,
          onDropped: (cause) => {
            telemetry.metrics.captureDropped.inc({ cause });
          },
          onSize: (bytes) => {
            telemetry.metrics.captureBufferBytes.set(bytes);
          },
        }),
    },
    {
      provide: TurnRecorder,
      inject: [Outbox, PolicyWatch, Settings, Telemetry, UpstreamService],
      useFactory: (
        ...[outbox, policy, settings, telemetry, engine]: [Outbox, PolicyWatch, Settings, Telemetry, UpstreamService]
      ): TurnRecorder => new TurnRecorder(outbox, policy, { settings, telemetry, engine }),
    },
    BusStart,
  ],
  exports: [TurnRecorder, Gate, Outbox],
})
export class CaptureModule {}
