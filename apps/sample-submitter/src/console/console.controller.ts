import { Controller } from '@nestjs/common';
import { MessagePattern, Payload } from '@nestjs/microservices';
import { ForgetAnswers, ListSessions, ListTurns, ReadLearning, ReadNow, ReadTurn } from '@app/contracts';
import { ConsoleIndex } from './console-index';
import { LearningService } from './learning.service';
import { pageOf, rowsCalled, sessionsOf } from './list-rows';
import { NowService } from './now.service';
import { TurnDetailService } from './turn-detail.service';

/** Answers the console's questions, out of the streams. */
@Controller()
export class ConsoleController {
  constructor(
    private readonly index: ConsoleIndex,
    private readonly now: NowService,
    private readonly details: TurnDetailService,
    private readonly learning: LearningService,
  ) {}

  @MessagePattern(ReadNow.subject)
  async readNow(): Promise<string> {
    return ReadNow.encodeReply(await this.now.read());
  }

  @MessagePattern(ListTurns.subject)
  async listTurns(@Payload() text: string): Promise<string> {
    const request = ListTurns.decodeRequest(text);
    await this.index.ready();
    await this.index.place(pageOf(this.index.rows.list(), request).turns);
    return ListTurns.encodeReply(pageOf(this.index.rows.list(), request));
  }

  @MessagePattern(ReadTurn.subject)
  async readTurn(@Payload() text: string): Promise<string> {
    const { turnId, withText } = ReadTurn.decodeRequest(text);
    return ReadTurn.encodeReply({ turn: await this.details.read(turnId, withText) });
  }

  @MessagePattern(ListSessions.subject)
  async listSessions(@Payload() text: string): Promise<string> {
    const { limit, name } = ListSessions.decodeRequest(text);
    await this.index.ready();
    const { rows } = this.index;
    await this.index.place(rows.list());
    const asked = name === undefined ? rows.list() : rowsCalled(rows.list(), name);
    const sessions = sessionsOf(asked, (session) => {
      const end = rows.endOf(session);
      return end === null ? null : { ended: end.cause, endedAt: end.endedAt ?? null, outcome: end.outcome ?? null };
    });
    return ListSessions.encodeReply({ sessions: sessions.slice(0, limit) });
  }

  @MessagePattern(ReadLearning.subject)
  async readLearning(@Payload() text: string): Promise<string> {
    return ReadLearning.encodeReply(await this.learning.read(ReadLearning.decodeRequest(text)));
  }

  @MessagePattern(ForgetAnswers.subject)
  async forgetAnswers(): Promise<string> {
    return ForgetAnswers.encodeReply({ versions: await this.learning.forgetAnswers() });
  }
}
