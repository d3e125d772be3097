// The tests of deploy/slime, with the Python that has PyTorch if one has. Without Python 3 there is nothing to run them with.
import { delimiter, join } from 'node:path';
import { runScript } from './lib/problem.mjs';
import { root } from './lib/project.mjs';
import { run, succeeds } from './lib/run.mjs';

const FIND_MS = 60_000;
const CANDIDATES = [process.env.PYTHON, 'python3', '/usr/bin/python3'].filter((name) => name !== undefined);

await runScript(async () => {
  const pythons = await filter(CANDIDATES, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']);
  const [python] = pythons;
  if (python === undefined)
    return console.log('SKIPPED: deploy/slime needs Python 3.9 or later, and there is none here');
  const [withTorch] = await filter(pythons, ['-c', 'import torch']);
  if (withTorch === undefined) {
    console.log(
      'SKIPPED: the tests of the loss; no Python here has PyTorch (Debian: python3-torch, or pip install torch)',
    );
  }
  const folder = join(root, 'deploy', 'slime');
  const env = {
    ...process.env,
    PYTHONPATH: [folder, join(folder, 'tests', 'stand_in')].join(delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const args = ['-m', 'unittest', 'discover', '-v', '-s', join(folder, 'tests'), '-t', folder];
  process.exitCode = await run(withTorch ?? python, args, { env, cwd: folder });
});

async function filter(commands, args) {
  const fine = await Promise.all(commands.map((command) => succeeds(command, args, FIND_MS)));
  return commands.filter((_, i) => fine[i]);
}
