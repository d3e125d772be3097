import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '@app/config';
import { Telemetry, type Metrics } from '@app/telemetry';
import { Bus } from './bus';

/** While the server is away nobody knows the backlogs, and an old number would look like a new one. */
const exportBacklogs = async (bus: Bus, { consumerPending, consumerUnsettled }: Metrics): Promise<void> => {
  const backlogs = await bus.backlogs().catch(() => []);
  consumerPending.reset();
  consumerUnsettled.reset();
  for (const { stream, consumer, pending, unsettled } of backlogs) {
    consumerPending.set({ stream, consumer }, pending);
    consumerUnsettled.set({ stream, consumer }, unsettled);
  }
};

/** Gives an app its `Bus`, connected in the background, drained at shutdown. Needs `SettingsModule.forRoot()` and `TelemetryModule` beside it. */
@Module({})
export class BusModule implements OnApplicationShutdown {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  static forApp(app: string): DynamicModule {
    return {
      module: BusModule,
      global: true,
      providers: [
        {
          provide: Bus,
          inject: [Settings, Telemetry],
          useFactory: (settings: Settings, telemetry: Telemetry): Bus => {
            const bus = new Bus({
              app,
              tracer: telemetry.tracer,
              url: settings.nats.url,
              storeGb: settings.nats.storeGb,
              replicas: settings.nats.replicas,
              onStatus: (connected) => {
                telemetry.busConnected(connected);
              },
              onRefused: (reason) => {
                telemetry.busRefused(reason);
              },
              onStored: (subject) => {
                telemetry.messageStored(subject);
              },
              onHandlerError: (delivery, error) => {
                telemetry.handlerFailed(delivery, error);
              },
            });
            telemetry.readBeforeExport(() => exportBacklogs(bus, telemetry.metrics));
            return bus;
          },
        },
      ],
      exports: [Bus],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.bus.close();
  }
}
