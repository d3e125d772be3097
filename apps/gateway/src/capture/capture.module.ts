import { Module } from '@nestjs/common';
import { Bus } from '@app/bus';
import { Settings } from '@app/config';
import { Telemetry } from '@app/telemetry';
import { GateModule } from '../gate/gate.module';
import { BusStart } from './bus-start';
import { Outbox } from './outbox';
import { TurnRecorder } from './turn-recorder';

const MIB = 1024 * 1024;

/** Recording on the side of serving. */
@Module({
  imports: [GateModule],
  providers: [
    {
      provide: Outbox,
      inject: [Bus, Settings, Telemetry],
      useFactory: (bus: Bus, settings: Settings, telemetry: Telemetry): Outbox => {
        const { captureDropped, captureBufferBytes } = telemetry.metrics;
        const outbox = new Outbox(bus, {
          tracer: telemetry.tracer,
          maxBytes: settings.gateway.captureBufferMb * MIB,
          onDropped: (cause) => {
            captureDropped.inc({ cause });
          },
        });
        telemetry.readBeforeExport(() => {
          captureBufferBytes.set(outbox.size);
        });
        return outbox;
      },
    },
    TurnRecorder,
    BusStart,
  ],
  exports: [TurnRecorder, Outbox],
})
export class CaptureModule {}
