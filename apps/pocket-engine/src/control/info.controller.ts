import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { Settings } from '@app/config';
import { Detokenizer } from '@app/tokens';
import { chatPromptIds } from '../chat/chat-request';
import { readCount } from '../generation/sampling-request';
import { Scheduler } from '../generation/scheduler';
import { MODEL_ID } from '../model/first-weights';
import { PocketModel } from '../model/pocket-model';
import { refuse } from '../protocol/engine-error';
import { objectOf, type JsonObject } from '../protocol/json';

/** What the engine is, and its tokenizer. */
@Controller()
export class InfoController {
  constructor(
    private readonly model: PocketModel,
    private readonly scheduler: Scheduler,
    private readonly settings: Settings,
  ) {}

  @Get(['health', 'health_generate'])
  health(): string {
    return '';
  }

  @Get(['model_info', 'get_model_info'])
  modelInfo(): JsonObject {
    const { path, version } = this.scheduler.weights;
    return {
      model_path: path,
      tokenizer_path: this.model.folder,
      is_generation: true,
      preferred_sampling_params: null,
      weight_version: version,
      has_image_understanding: false,
      has_audio_understanding: false,
      model_type: 'pocket',
      architectures: ['PocketForCausalLM'],
    };
  }

  @Get(['server_info', 'get_server_info'])
  serverInfo(): JsonObject {
    const { path, version } = this.scheduler.weights;
    return {
      model_path: path,
      served_model_name: MODEL_ID,
      context_length: this.model.config.context,
      incremental_streaming_output: false,
      weight_version: version,
      internal_states: [{ num_running_reqs: this.scheduler.runningCount }],
      version: 'pocket',
    };
  }

  @Get('v1/models')
  models(): JsonObject {
    const card = (id: string): JsonObject => ({
      ...{ id, object: 'model', created: 0, owned_by: 'sglang', root: id, parent: null },
      max_model_len: this.model.config.context,
    });
    return { object: 'list', data: [this.scheduler.weights.path, this.settings.pocket.judgeModel].map(card) };
  }

  @Post(['v1/tokenize', 'tokenize'])
  @HttpCode(200)
  tokenize(@Body() raw: unknown): JsonObject {
    const body = objectOf(raw);
    const max = { max_model_len: this.model.config.context };
    const encode = (text: unknown): number[] =>
      typeof text === 'string' ? this.model.tokenizer.encode(text) : refuse('prompt must be a text', 'prompt');
    if (Array.isArray(body.prompt)) {
      const tokens = body.prompt.map(encode);
      return { tokens, count: tokens.map(({ length }) => length), ...max };
    }
    const tokens = body.messages === undefined ? encode(body.prompt) : chatPromptIds(body, this.model);
    return { tokens, count: tokens.length, ...max };
  }

  @Post(['v1/detokenize', 'detokenize'])
  @HttpCode(200)
  detokenize(@Body() raw: unknown): JsonObject {
    const body = objectOf(raw);
    const ids: unknown[] = Array.isArray(body.tokens) ? body.tokens : refuse('tokens must be a list', 'tokens');
    const each = ids.map((id) => readCount({ id }, 'id') ?? refuse('tokens must hold token ids', 'tokens'));
    const added = this.model.vocabulary.added.map(({ content }) => content);
    const detokenizer = new Detokenizer(this.model.vocabulary, {
      shown: body.skip_special_tokens === false ? added : [],
    });
    return { text: detokenizer.push(each) + detokenizer.end() };
  }
}
