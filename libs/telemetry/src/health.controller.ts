import { Controller, Get, Header, HttpCode, Inject, Res } from '@nestjs/common';
import type { AppName } from './exports';
import { APP_NAME, READINESS, type ReadinessCheck } from './health';
import { Telemetry } from './telemetry';

/** The part of fastify's reply that is used here. */
interface Reply {
  status(code: number): { send(body: unknown): void };
}

/** Liveness, readiness and metrics: the same three routes on every app. */
@Controller()
export class HealthController {
  constructor(
    private readonly telemetry: Telemetry,
    @Inject(READINESS) private readonly readiness: ReadinessCheck,
    @Inject(APP_NAME) private readonly app: AppName,
  ) {}

  @Get('healthz')
  @HttpCode(200)
  health(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  async ready(@Res() reply: Reply): Promise<void> {
    const { ready, status, detail } = await this.readiness();
    reply.status(ready ? 200 : 503).send({ status, ...detail });
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  metrics(): Promise<string> {
    return this.telemetry.exportFor(this.app);
  }
}
