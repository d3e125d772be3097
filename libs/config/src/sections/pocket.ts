import { text, whole } from '../kinds';
import { Setting } from '../setting.decorator';
import { SettingsSection } from '../settings-section';

/** [pocket]: the small model that runs on the CPU of this machine, behind SGLang's protocol. */
export class PocketSettings extends SettingsSection {
  @Setting('Address to listen on', text('an address or host name', /^[\w.:-]+$/))
  readonly host: string = '127.0.0.1';

  @Setting(
    'Port to listen on (0: a free one); npm start takes a free one where it is not set',
    whole({ min: 0, max: 65_535 }),
  )
  readonly port: number = 30_001;

  @Setting('Folder of the model', text('path of a folder'))
  readonly modelDir: string = 'libs/pocket-lm/weights';

  @Setting('Answers that are generated at a time; others wait', whole({ min: 1, max: 128 }))
  readonly streams: number = 16;

  @Setting('Model id of the judge, which is rules', text('a model id'))
  readonly judgeModel: string = 'pocket-judge';

  @Setting(
    'File that notes which weights serve, so that the engine comes back with them; npm start: in its folder, if not set',
    text('path of a file'),
  )
  readonly servedFile: string = '.openclaw-rl/pocket-engine.json';
}
