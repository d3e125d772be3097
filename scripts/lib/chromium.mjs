import { findProgram } from './nats.mjs';
import { run } from './run.mjs';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/**
 * A browser to test with: `{ chromium }`, or `{ missing }`, a few words on why there is none. Looks at CHROMIUM_BIN and the path;
 * then, for root on Debian, takes the package, as it is done for nats-server.
 */
export async function findChromium(env = process.env, isRoot = process.getuid?.() === 0) {
  const known = env.CHROMIUM_BIN ?? find(env);
  if (known !== null) return { chromium: known };
  const aptGet = findProgram('apt-get', env);
  if (aptGet === null || !isRoot) {
    return {
      missing: 'there is no chromium in the path (on Debian: apt-get install chromium), and CHROMIUM_BIN is not set',
    };
  }
  console.log('Installing chromium with apt-get ...');
  for (const step of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const code = await run(aptGet, step, { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, quiet: true });
    if (code !== 0) return { missing: 'apt-get could not install the package chromium' };
  }
  const chromium = find(env);
  return chromium === null ? { missing: 'the package chromium has brought no program' } : { chromium };
}

function find(env) {
  return NAMES.map((name) => findProgram(name, env)).find((path) => path !== null) ?? null;
}
