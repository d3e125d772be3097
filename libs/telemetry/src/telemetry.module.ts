import { Global, Module, type DynamicModule, type InjectionToken, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '@app/config';
import type { AppName } from './exports';
import { APP_NAME, READINESS, type ReadinessCheck } from './health';
import { HealthController } from './health.controller';
import { Telemetry } from './telemetry';

/** Metrics, spans and logs for every provider of an app. As it stands, without spans. */
@Global()
@Module({ providers: [Telemetry], exports: [Telemetry] })
export class TelemetryModule implements OnApplicationShutdown {
  constructor(private readonly telemetry: Telemetry) {}

  /** With spans, where the settings ask for them. Needs `SettingsModule.forRoot()` beside it. */
  static forApp(app: AppName): DynamicModule {
    return {
      module: TelemetryModule,
      providers: [
        {
          provide: Telemetry,
          inject: [Settings],
          useFactory: ({ tracing }: Settings): Promise<Telemetry> => Telemetry.forApp(app, tracing),
        },
      ],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.telemetry.tracer.close();
  }
}

/** `/healthz`, `/readyz` and `/metrics`. */
@Module({})
export class HealthModule {
  /** Metrics are those of `app`. `check` is built from the injected values, which are exported by `imports` or global modules. */
  static forApp(options: {
    readonly app: AppName;
    readonly imports?: DynamicModule['imports'];
    readonly inject: InjectionToken[];
    readonly check: (...args: never[]) => ReadinessCheck;
  }): DynamicModule {
    return {
      module: HealthModule,
      imports: options.imports ?? [],
      controllers: [HealthController],
      providers: [
        { provide: APP_NAME, useValue: options.app },
        {
          provide: READINESS,
          inject: options.inject,
          useFactory: options.check as (...args: unknown[]) => ReadinessCheck,
        },
      ],
    };
  }
}
