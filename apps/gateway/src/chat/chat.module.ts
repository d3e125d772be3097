import { Module } from '@nestjs/common';
import { CaptureModule } from '../capture/capture.module';
import { GateModule } from '../gate/gate.module';
import { GatePass } from '../gate/gate-pass';
import { ByGenerate } from '../generate/by-generate';
import { GenerationService } from '../generate/generation.service';
import { UpstreamModule } from '../upstream/upstream.module';
import { ByChat } from './by-chat';
import { ChatController } from './chat.controller';
import { ChatLoad } from './chat-load';
import { ChatService } from './chat.service';
import { Delivery } from './delivery';
import { Drain } from './drain';
import { Routes } from './routes';
import { TurnsService } from './turns.service';

/** The serving path. */
@Module({
  imports: [CaptureModule, GateModule, UpstreamModule],
  controllers: [ChatController],
  providers: [
    ByChat,
    ByGenerate,
    ChatLoad,
    ChatService,
    Delivery,
    Drain,
    GatePass,
    GenerationService,
    Routes,
    TurnsService,
  ],
})
export class ChatModule {}
