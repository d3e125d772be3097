import { Module } from '@nestjs/common';
import { GateModule } from '../gate/gate.module';
import { EngineWatch } from './engine-watch';
import { UpstreamService } from './upstream.service';

/** The policy's engines behind the gateway. */
@Module({ imports: [GateModule], providers: [UpstreamService, EngineWatch], exports: [UpstreamService] })
export class UpstreamModule {}
