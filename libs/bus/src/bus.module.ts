import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '@app/config';
import { Telemetry, TelemetryModule } from '@app/telemetry';
import { Bus } from './bus';

/** Gives an app its `Bus`, connected in the background, drained at shutdown. Needs `SettingsModule.forRoot()` beside it. */
@Module({})
export class BusModule implements OnApplicationShutdown {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  static forApp(app: string): DynamicModule {
    return {
      module: BusModule,
      global: true,
      imports: [TelemetryModule],
      providers: [
        {
          provide: Bus,
          inject: [Settings, Telemetry],
          useFactory: (settings: Settings, telemetry: Telemetry): Bus =>
            new Bus({
              app,
              url: settings.nats.url,
              storeGb: settings.nats.storeGb,
              replicas: settings.nats.replicas,
              onStatus: (connected) => {
                telemetry.busConnected(connected);
              },
              onRefused: (reason) => {
                telemetry.busRefused(reason);
              },
              onHandlerError: (delivery, error) => {
                telemetry.handlerFailed(delivery, error);
              },
            }),
        },
      ],
      exports: [Bus],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.bus.close();
  }
}
