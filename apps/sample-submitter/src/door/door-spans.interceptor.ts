import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { tap, type Observable } from 'rxjs';
import type { Sample } from '@app/sample';
import { Telemetry } from '@app/telemetry';
import type { DoorRequest } from './http';

/** Operations that are traced, by their handlers' names, as their spans are called. */
const SPANS: Readonly<Record<string, string>> = {
  lease: 'lease samples',
  ack: 'acknowledge samples',
  nack: 'give samples back',
  beginUpdate: 'begin update',
  commitUpdate: 'commit update',
};

/** A lease has its samples, other replies their number. */
interface Reply {
  readonly lease_id?: string | null;
  readonly samples?: readonly Pick<Sample, 'metadata'>[] | number;
}

const turnsOf = ({ samples }: Reply): readonly string[] =>
  typeof samples === 'object' ? samples.map(({ metadata }) => metadata.turn_id) : [];

/** Traces what trainers were given and have said: as part of their own trace, where they name one. Who waits in vain is no span. */
@Injectable()
export class DoorSpansInterceptor implements NestInterceptor {
  constructor(private readonly telemetry: Telemetry) {}

  intercept(context: ExecutionContext, next: CallHandler<Reply>): Observable<unknown> {
    const { tracer } = this.telemetry;
    const name = SPANS[context.getHandler().name];
    if (name === undefined) return next.handle();
    const since = Date.now();
    const { traceparent } = context.switchToHttp().getRequest<DoorRequest>().headers;
    return next.handle().pipe(
      tap((reply) => {
        if (reply.lease_id === null) return;
        const attributes = { 'openclaw_rl.lease.id': reply.lease_id };
        void tracer.span(name, { kind: 'server', parent: traceparent ?? null, attributes, since }, () => {
          tracer.link(turnsOf(reply));
          return Promise.resolve();
        });
      }),
    );
  }
}
