import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { tap, type Observable } from 'rxjs';
import { Telemetry } from '@app/telemetry';
import { toDoorAnswer } from './door-error';
import type { DoorRequest } from './http';

/** Counts the operations at the door by their result. */
@Injectable()
export class DoorMetricsInterceptor implements NestInterceptor {
  constructor(private readonly telemetry: Telemetry) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { leases } = this.telemetry.metrics;
    const operation = context.getHandler().name;
    const { bodyLimit } = context.switchToHttp().getRequest<DoorRequest>().routeOptions;
    return next.handle().pipe(
      tap({
        next: () => {
          leases.inc({ operation, status: 'ok' });
        },
        error: (error: unknown) => {
          leases.inc({ operation, status: toDoorAnswer(error, bodyLimit).body.error.code });
        },
      }),
    );
  }
}
