import { Module } from '@nestjs/common';
import { Bus } from '@app/bus';
import { Settings } from '@app/config';
import { PolicyWatch } from '@app/pools';
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
      useFactory: (bus: Bus, telemetry: Telemetry): PolicyWatch =>
        new PolicyWatch(bus, (state) => {
          telemetry.metrics.policyVersion.set(state.version);
          telemetry.metrics.gateClosed.set(state.gate.state === 'serving' ? 0 : 1);
        }),
    },
    { provide: Gate, inject: [PolicyWatch], useFactory: (policy: PolicyWatch): Gate => new Gate(policy) },
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
