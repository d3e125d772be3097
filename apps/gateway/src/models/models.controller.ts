import { Controller, Get } from '@nestjs/common';
import { Settings } from '@app/config';

/** An entry of OpenAI's model list. */
interface ModelEntry {
  readonly id: string;
  readonly object: 'model';
  readonly created: number;
  readonly owned_by: string;
}

/** `GET /v1/models`: the one name that clients see, whatever the engine calls its weights. */
@Controller('v1/models')
export class ModelsController {
  private readonly entry: ModelEntry;

  constructor(settings: Settings) {
    const created = Math.floor(Date.now() / 1000);
    this.entry = { id: settings.server.servedModelName, object: 'model', created, owned_by: 'openclaw-rl' };
  }

  @Get()
  list(): { object: 'list'; data: ModelEntry[] } {
    return { object: 'list', data: [this.entry] };
  }
}
