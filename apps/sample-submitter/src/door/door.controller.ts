import { Body, Controller, Get, HttpCode, Param, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { Settings } from '@app/config';
import { expandRanges, type LeaseAnswer } from '@app/pools';
import { DoorMetricsInterceptor } from './door-metrics.interceptor';
import { DoorGuard } from './door.guard';
import { DoorService, type LeaseReply } from './door.service';
import { signalOf, type DoorReply, type DoorRequest } from './http';
import { ExtendBody, LeaseBody, RequestBody } from './lease.dto';
import { StatsService, type Stats } from './stats.service';

const MS = 1000;

/** The trainer's door. */
@Controller('v1')
@UseGuards(DoorGuard)
@UseInterceptors(DoorMetricsInterceptor)
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
    const max = body.max ?? this.settings.rl.rolloutSteps;
    return this.door.lease(
      {
        requestId: body.request_id,
        trainer: body.trainer ?? request.socket.remoteAddress ?? 'unknown',
        max,
        min: Math.min(body.min ?? 1, max),
        waitMs: body.wait_ms ?? 0,
        leaseMs: body.lease_ms ?? this.settings.door.leaseS * MS,
      },
      signalOf(reply),
    );
  }

  @Post('samples/leases/:id/ack')
  @HttpCode(200)
  async ack(@Param('id') leaseId: string, @Body() body: RequestBody): Promise<unknown> {
    return ended(await this.door.acknowledge({ leaseId, requestId: body.request_id }));
  }

  @Post('samples/leases/:id/nack')
  @HttpCode(200)
  async nack(@Param('id') leaseId: string, @Body() body: RequestBody): Promise<unknown> {
    return ended(await this.door.giveBack({ leaseId, requestId: body.request_id }));
  }

  @Post('samples/leases/:id/extend')
  @HttpCode(200)
  async extend(@Param('id') leaseId: string, @Body() body: ExtendBody): Promise<unknown> {
    const leaseMs = body.lease_ms ?? this.settings.door.leaseS * MS;
    const answer = await this.door.extend({ leaseId, requestId: body.request_id, leaseMs });
    return { ...ended(answer), expires_at: answer.expiresAt };
  }

  @Get('stats')
  readStats(): Promise<Stats> {
    return this.stats.read();
  }
}

const ended = (answer: LeaseAnswer): { lease_id: string; policy_version: number; samples: number } => ({
  lease_id: answer.leaseId,
  policy_version: answer.version,
  samples: expandRanges(answer.sequences).length,
});
