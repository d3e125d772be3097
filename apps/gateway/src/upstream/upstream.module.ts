import { Module } from '@nestjs/common';
import { UpstreamService } from './upstream.service';

/** The policy engine behind the gateway. */
@Module({ providers: [UpstreamService], exports: [UpstreamService] })
export class UpstreamModule {}
