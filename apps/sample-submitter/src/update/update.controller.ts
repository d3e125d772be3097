import { Body, Controller, Get, HttpCode, Param, Post, Req, UseGuards, UseInterceptors } from '@nestjs/common';
import { Settings } from '@app/config';
import type { BegunUpdate } from '@app/pools';
import { identityOf } from '../door/admit';
import { DoorMetricsInterceptor } from '../door/door-metrics.interceptor';
import { DoorGuard } from '../door/door.guard';
import { DoorSpansInterceptor } from '../door/door-spans.interceptor';
import { visitorOf, type DoorRequest } from '../door/http';
import { PolicyService, reportOf, type PolicyReport, type UpdateReport } from './policy.service';
import { AbortBody, BeginBody, CommitBody, ExtendUpdateBody } from './update.dto';
import { UpdateService } from './update.service';

const MS = 1000;

/** An update that may go on. `expires_at`: server's clock, milliseconds since 1970. */
interface UpdateReply {
  readonly token: string;
  /** The policy version that its commit makes. */
  readonly version: number;
  readonly expires_at: number;
}

/** The trainer's door, where weights change. */
@Controller('v1/policy')
@UseGuards(DoorGuard)
@UseInterceptors(DoorMetricsInterceptor, DoorSpansInterceptor)
export class UpdateController {
  constructor(
    private readonly settings: Settings,
    private readonly updates: UpdateService,
    private readonly policy: PolicyService,
  ) {}

  @Get()
  readPolicy(): Promise<PolicyReport> {
    return this.policy.read();
  }

  @Post('updates')
  @HttpCode(200)
  async beginUpdate(@Body() body: BeginBody, @Req() request: DoorRequest): Promise<UpdateReply> {
    const begun = await this.updates.begin({
      requestId: body.request_id,
      trainer: identityOf(visitorOf(request), body.trainer, this.settings.door.apiKeys),
      asked: JSON.stringify([body.lease_ids, body.lease_ms]),
      leaseIds: body.lease_ids ?? [],
      leaseMs: body.lease_ms ?? this.leaseMs,
    });
    return replyOf(begun);
  }

  @Post('updates/:token/extend')
  @HttpCode(200)
  async extendUpdate(@Param('token') token: string, @Body() body: ExtendUpdateBody): Promise<UpdateReply> {
    return replyOf(await this.updates.extend(token, body.lease_ms ?? this.leaseMs));
  }

  @Post('updates/:token/commit')
  @HttpCode(200)
  async commitUpdate(@Param('token') token: string, @Body() body: CommitBody): Promise<UpdateReport> {
    const { engine_version: engineVersion = null, weights_path: weightsPath = null, metrics = {} } = body;
    return reportOf(await this.updates.commit(token, { engineVersion, weightsPath, metrics }));
  }

  @Post('updates/:token/abort')
  @HttpCode(200)
  async abortUpdate(@Param('token') token: string, @Body() body: AbortBody): Promise<UpdateReport> {
    return reportOf(await this.updates.abort(token, body.reason ?? 'given up by its trainer'));
  }

  private get leaseMs(): number {
    return this.settings.gate.leaseS * MS;
  }
}

const replyOf = ({ token, version, expiresAt }: BegunUpdate): UpdateReply => ({
  token,
  version,
  expires_at: expiresAt,
});
