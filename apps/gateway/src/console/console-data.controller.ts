import { Controller, Delete, Get, Header, HttpCode, Param, Post, Query, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import {
  ForgetAnswers,
  isSubjectToken,
  ListSessions,
  ListTurns,
  ReadLearning,
  ReadNow,
  ReadTurn,
  type GatewayNow,
} from '@app/contracts';
import { readFlatBody } from '@app/http';
import { invalidRequest } from '../errors/openai-error';
import type { FeedbackAnswer } from '../feedback/feedback-answer';
import { bodyOf, parseBody } from '../http/gateway-request';
import type { Erased } from '../sessions/sessions.service';
import { ConsoleGuard, roleOfRequest, type ConsoleRequest } from './console.guard';
import { ConsoleQueries } from './console-queries';
import { RatingDto } from '../feedback/rating.dto';
import { SessionsQueryDto, TurnsQueryDto, turnsRequestOf } from './console-query.dto';
import { requireOperator } from './console-role';
import { ConsoleWork } from './console-work';
import { LiveFeed } from './live-feed';
import { GatewayView } from './gateway-view';

const MAX_SESSIONS = 200;
const JSON_TYPE = 'application/json; charset=utf-8';

/** @throws OpenAiError 400 */
const idOf = (id: string): string => {
  if (!isSubjectToken(id)) throw invalidRequest('id', 'must be an id: letters, digits, - and _');
  return id;
};

/** @throws OpenAiError 400 */
const readQuery = <Dto extends object>(dto: new () => Dto, query: unknown): Dto => {
  const result = readFlatBody(dto, query);
  if ('fault' in result) throw invalidRequest(result.fault.field, result.fault.message);
  return result.body;
};

/** What the console asks and does. */
@Controller('console/api')
@UseGuards(ConsoleGuard)
export class ConsoleDataController {
  constructor(
    private readonly queries: ConsoleQueries,
    private readonly feed: LiveFeed,
    private readonly work: ConsoleWork,
    private readonly gateway: GatewayView,
  ) {}

  @Get('now')
  @Header('content-type', JSON_TYPE)
  readNow(): Promise<string> {
    return this.queries.ask(ReadNow, {});
  }

  @Get('gateway')
  readGateway(): GatewayNow {
    return this.gateway.read();
  }

  @Get('turns')
  @Header('content-type', JSON_TYPE)
  listTurns(@Query() query: unknown): Promise<string> {
    return this.queries.ask(ListTurns, turnsRequestOf(readQuery(TurnsQueryDto, query)));
  }

  @Get('turns/:id')
  @Header('content-type', JSON_TYPE)
  readTurn(@Param('id') id: string, @Req() request: ConsoleRequest): Promise<string> {
    return this.queries.ask(ReadTurn, { turnId: idOf(id), withText: roleOfRequest(request) === 'operator' });
  }

  @Get('sessions')
  @Header('content-type', JSON_TYPE)
  listSessions(@Query() query: unknown): Promise<string> {
    const { name } = readQuery(SessionsQueryDto, query);
    return this.queries.ask(ListSessions, { limit: MAX_SESSIONS, ...(name === undefined ? {} : { name }) });
  }

  @Get('learning')
  @Header('content-type', JSON_TYPE)
  readLearning(@Req() request: ConsoleRequest): Promise<string> {
    return this.queries.ask(ReadLearning, { withText: roleOfRequest(request) === 'operator' });
  }

  @Delete('answers')
  @Header('content-type', JSON_TYPE)
  forgetAnswers(@Req() request: ConsoleRequest): Promise<string> {
    requireOperator(roleOfRequest(request));
    return this.queries.ask(ForgetAnswers, {});
  }

  @Post('turns/:id/feedback')
  @HttpCode(202)
  async rate(@Param('id') id: string, @Req() request: ConsoleRequest): Promise<FeedbackAnswer> {
    requireOperator(roleOfRequest(request));
    return this.work.rate(idOf(id), parseBody(RatingDto, bodyOf(request)));
  }

  @Delete('sessions/:id')
  async erase(@Param('id') id: string, @Req() request: ConsoleRequest): Promise<{ deleted: Erased }> {
    requireOperator(roleOfRequest(request));
    return { deleted: await this.work.erase(idOf(id)) };
  }

  @Get('live')
  watch(@Res() reply: FastifyReply): void {
    this.feed.open(reply.raw);
    reply.hijack();
  }
}
