import { Body, Controller, Get, HttpCode, Param, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { Settings } from '@app/config';
import type { LeaseAnswer, OnLease } from '@app/pools';
import { identityOf } from './admit';
import { DoorMetricsInterceptor } from './door-metrics.interceptor';
import { DoorGuard } from './door.guard';
import { DoorSpansInterceptor } from './door-spans.interceptor';
import { DoorService, type LeaseReply } from './door.service';
import { signalOf, visitorOf, type DoorReply, type DoorRequest } from './http';
import { boundsOf, ExtendBody, LeaseBody, RequestBody } from './lease.dto';
import { StatsService, type Stats } from './stats.service';

const MS = 1000;

/** The trainer's door. */
@Controller('v1')
@UseGuards(DoorGuard)
@UseInterceptors(DoorMetricsInterceptor, DoorSpansInterceptor)
export class DoorController {
  constructor(
    private readonly settings: Settings,
    private readonly door: DoorService,
    private readonly stats: StatsService,
  ) {}

  @Post('samples/lease')
  @HttpCode(200)
  lease(
    @Body() body: LeaseBody,
    @Req() request: DoorRequest,
    @Res({ passthrough: true }) reply: DoorReply,
  ): Promise<LeaseReply> {
    return this.door.lease(
      {
        requestId: body.request_id,
        trainer: this.trainerOf(request, body.trainer),
        // How long to wait is no part of it: who asks again may have less time.
        asked: JSON.stringify([body.max, body.min, body.lease_ms]),
        ...boundsOf(body, this.settings.rl.rolloutSteps),
        waitMs: body.wait_ms ?? 0,
        leaseMs: body.lease_ms ?? this.settings.door.leaseS * MS,
      },
      signalOf(reply),
    );
  }

  @Post('samples/leases/:id/ack')
  @HttpCode(200)
  async ack(@Param('id') leaseId: string, @Body() body: RequestBody, @Req() request: DoorRequest): Promise<unknown> {
    return ended(await this.door.acknowledge(this.onLease(leaseId, body, request)));
  }

  @Post('samples/leases/:id/nack')
  @HttpCode(200)
  async nack(@Param('id') leaseId: string, @Body() body: RequestBody, @Req() request: DoorRequest): Promise<unknown> {
    return ended(await this.door.giveBack(this.onLease(leaseId, body, request)));
  }

  @Post('samples/leases/:id/extend')
  @HttpCode(200)
  async extend(@Param('id') leaseId: string, @Body() body: ExtendBody, @Req() request: DoorRequest): Promise<unknown> {
    const leaseMs = body.lease_ms ?? this.settings.door.leaseS * MS;
    const answer = await this.door.extend({ ...this.onLease(leaseId, body, request), leaseMs });
    return { ...ended(answer), expires_at: answer.expiresAt };
  }

  @Get('stats')
  readStats(): Promise<Stats> {
    return this.stats.read();
  }

  private onLease(leaseId: string, body: RequestBody, request: DoorRequest): OnLease {
    return { leaseId, requestId: body.request_id, trainer: this.trainerOf(request) };
  }

  private trainerOf(request: DoorRequest, name?: string): string {
    return identityOf(visitorOf(request), name, this.settings.door.apiKeys);
  }
}

const ended = (answer: LeaseAnswer): { lease_id: string; policy_version: number; samples: number } => ({
  lease_id: answer.leaseId,
  policy_version: answer.version,
  samples: answer.samples,
});
