import { Module } from '@nestjs/common';
import { Settings } from '@app/config';
import { Telemetry } from '@app/telemetry';
import { TurnRecorder } from '../capture/turn-recorder';
import { CaptureModule } from '../capture/capture.module';
import { Gate } from '../gate/gate';
import { GenerationService } from '../generate/generation.service';
import { UpstreamModule } from '../upstream/upstream.module';
import { UpstreamService } from '../upstream/upstream.service';
import { ChatController } from './chat.controller';
import { ChatService } from './chat.service';
import { Drain } from './drain';

/** The serving path. */
@Module({
  imports: [CaptureModule, UpstreamModule],
  controllers: [ChatController],
  providers: [
    Drain,
    GenerationService,
    {
      provide: ChatService,
      inject: [UpstreamService, TurnRecorder, Gate, Settings, Telemetry, GenerationService],
      useFactory: (
        ...[upstream, recorder, gate, settings, telemetry, generations]: [
          UpstreamService,
          TurnRecorder,
          Gate,
          Settings,
          Telemetry,
          GenerationService,
        ]
      ): ChatService => new ChatService(upstream, recorder, gate, { settings, telemetry, generations }),
    },
  ],
})
export class ChatModule {}
