import { Body, Controller, HttpCode, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { Bus } from '@app/bus';
import { PolicyAnswered } from '@app/contracts';
import { DoorMetricsInterceptor } from '../door/door-metrics.interceptor';
import { DoorGuard } from '../door/door.guard';
import { AnswersBody } from './answers.dto';

/** The trainer's door, where trainers report what the policy says to held-out prompts. The first report of a version stays. */
@Controller('v1/policy/answers')
@UseGuards(DoorGuard)
@UseInterceptors(DoorMetricsInterceptor)
export class AnswersController {
  constructor(private readonly bus: Bus) {}

  @Post()
  @HttpCode(200)
  async report(@Body() { version, answers }: AnswersBody): Promise<{ readonly version: number }> {
    const info = { version, answeredAt: Date.now() };
    await this.bus.publish(PolicyAnswered, [String(version)], { info, head: { answers: [...answers] } });
    return { version };
  }
}
