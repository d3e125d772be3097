import { Global, Module, type DynamicModule, type InjectionToken } from '@nestjs/common';
import type { AppName } from './exports';
import { APP_NAME, READINESS, type ReadinessCheck } from './health';
import { HealthController } from './health.controller';
import { Telemetry } from './telemetry';

/** Metrics and logs for every provider of an app. */
@Global()
@Module({ providers: [Telemetry], exports: [Telemetry] })
export class TelemetryModule {}

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
      imports: [TelemetryModule, ...(options.imports ?? [])],
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
