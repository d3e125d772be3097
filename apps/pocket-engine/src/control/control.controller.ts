import { Body, Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { PAUSE_MODES, Scheduler, type PauseMode } from '../generation/scheduler';
import { PocketFolderError, PocketModel } from '../model/pocket-model';
import { WeightsNote } from '../model/weights-note';
import { refuse } from '../protocol/engine-error';
import { objectOf, type JsonObject } from '../protocol/json';

const FLUSH_REFUSED = 'Flush cache failed: requests are pending.';

/** A version that was not seen before: the next number, or 1. */
const versionAfter = (version: string): string => String((Number.parseInt(version, 10) || 0) + 1);

/** Pauses, aborts and new weights. */
@Controller()
export class ControlController {
  constructor(
    private readonly model: PocketModel,
    private readonly scheduler: Scheduler,
    private readonly note: WeightsNote,
  ) {}

  @Post('pause_generation')
  @HttpCode(200)
  pause(@Body() body: unknown): JsonObject {
    const { mode = 'abort' } = objectOf(body);
    if (!PAUSE_MODES.includes(mode as PauseMode)) {
      refuse(`mode: ${JSON.stringify(mode)} is not one of ${PAUSE_MODES.join(', ')}`, 'mode');
    }
    this.scheduler.pause(mode as PauseMode);
    return { message: 'Generation paused successfully.', status: 'ok' };
  }

  @Post('continue_generation')
  @HttpCode(200)
  continue(): JsonObject {
    this.scheduler.continue();
    return { message: 'Generation continued successfully.', status: 'ok' };
  }

  @Post('abort_request')
  @HttpCode(200)
  abort(@Body() body: unknown): string {
    const { rid, abort_all: all } = objectOf(body);
    this.scheduler.abort(typeof rid === 'string' ? rid : '', all === true);
    return '';
  }

  @Get('flush_cache')
  async flushByGet(@Res() reply: FastifyReply): Promise<void> {
    await this.flush(reply);
  }

  /** There is no cache across requests: it says whether one could have been flushed. */
  @Post('flush_cache')
  async flush(@Res() reply: FastifyReply): Promise<void> {
    const isIdle = this.scheduler.begunCount === 0;
    await reply.status(isIdle ? 200 : 400).send(isIdle ? 'Cache flushed.\n' : `${FLUSH_REFUSED}\n`);
  }

  @Post('update_weight_version')
  @HttpCode(200)
  rename(@Body() body: unknown): JsonObject {
    const { new_version: version, abort_all_requests: abortAll = true } = objectOf(body);
    if (typeof version !== 'string') return refuse('new_version must be a text', 'new_version');
    if (abortAll === true) this.scheduler.abort('', true);
    this.note.write({ ...this.scheduler.weights, version });
    this.scheduler.renameVersion(version);
    return { success: true, message: 'Weight version updated', new_version: version };
  }

  /** New weights wait for running requests, unless these are paused or aborted. */
  @Post('update_weights_from_disk')
  async update(@Body() body: unknown, @Res() reply: FastifyReply): Promise<void> {
    const { scheduler } = this;
    const { model_path: path, weight_version: asked, flush_cache: flush = true, ...rest } = objectOf(body);
    if (typeof path !== 'string' || path === '') return refuse('model_path is required', 'model_path');
    const fail = async (message: string): Promise<void> => {
      await reply.status(400).send({ success: false, message, num_paused_requests: 0 });
    };
    if (rest.abort_all_requests === true) scheduler.abort('', true);
    if (scheduler.pauseMode === null) await scheduler.idle();
    if (flush === true && scheduler.pauseMode === 'in_place' && scheduler.runningCount > 0) return fail(FLUSH_REFUSED);
    try {
      const parameters = this.model.readParameters(path);
      const version = typeof asked === 'string' && asked !== '' ? asked : versionAfter(scheduler.weights.version);
      // Noted first: what is told to serve also serves after a kill.
      this.note.write({ path, version });
      scheduler.putWeights(parameters, { path, version });
    } catch (error) {
      if (error instanceof PocketFolderError) return fail(error.message);
      throw error;
    }
    const paused = scheduler.pauseMode === null ? 0 : scheduler.begunCount;
    await reply
      .status(200)
      .send({ success: true, message: 'Succeeded to update model weights.', num_paused_requests: paused });
  }
}
