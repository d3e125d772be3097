// npm run pocket:pretrain [-- --seed 1 --steps 4000]: trains the pocket model from nothing on the corpus that this repository
// generates, and puts it into libs/pocket-lm/weights if it passes the gates. Killed, it goes on where it last saved.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { pretrain } from './lib/pretrain.mjs';
import { runScript } from './lib/problem.mjs';
import { root } from './lib/project.mjs';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    steps: { type: 'string' },
    out: { type: 'string', default: join(root, 'libs/pocket-lm/weights') },
    state: { type: 'string', default: join(root, '.openclaw-rl/pretraining') },
  },
});

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const lib = await import(pathToFileURL(join(root, 'dist/libs/pocket-lm/src/index.js')).href);
  await pretrain(lib, values);
});
