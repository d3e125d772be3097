import { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { Problem } from '../lib/problem.mjs';
import { projectNode } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';

const BASE = 'openclaw-rl-test/base:1';
const DEBIAN_PACKAGES = ['ca-certificates', 'netbase', 'busybox', 'libstdc++6', 'nginx-light'];

/**
 * Stand-ins for images of a registry that is not reached: Debian made on this machine, with the programs that this machine has. They have the
 * images' users, folders and entry points as far as the compose files rely on them. Grafana is a page that says it is well.
 */
const STAND_INS = {
  node: {
    files: ({ node, npm }) => ({ 'usr/local/bin/node': node, 'usr/local/lib/node_modules/npm': npm }),
    lines: [
      'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js usr/local/bin/npm && groupadd -g 1000 node && useradd -u 1000 -g node -m node',
      'CMD ["node"]',
    ],
  },
  nats: {
    files: ({ natsServer }) => ({ 'usr/local/bin/nats-server': natsServer }),
    lines: ['ENTRYPOINT ["nats-server"]'],
  },
  prometheus: {
    files: ({ prometheus }) => ({ 'usr/local/bin/prometheus': prometheus }),
    lines: ['RUN mkdir prometheus && chown nobody prometheus', 'USER nobody', 'ENTRYPOINT ["prometheus"]'],
  },
  nginx: { files: () => ({}), lines: ['CMD ["nginx", "-g", "daemon off;"]'] },
  grafana: {
    files: () => ({}),
    lines: [
      'RUN mkdir -p srv/api && echo ok > srv/api/health',
      'CMD ["busybox", "httpd", "-f", "-p", "3000", "-h", "/srv"]',
    ],
  },
};

/** Images of compose files and a Dockerfile that come from a registry. */
export function foreignImages(composeFiles, dockerfile) {
  const used = composeFiles.flatMap((path) =>
    Object.values(parse(readFileSync(path, 'utf8'), { merge: true }).services)
      .filter(({ build, image }) => build === undefined && image !== undefined)
      .map(({ image }) => image),
  );
  const bases = [...readFileSync(dockerfile, 'utf8').matchAll(/^FROM (\S+:\S+)/gm)].map(([, image]) => image);
  return [...new Set([...used, ...bases])];
}

/**
 * Makes a stand-in for each image. `programs`: paths of `natsServer` and `prometheus` on this machine. An image that has none
 * is left out: its service cannot be started without one of the test's own.
 */
export async function makeBaseImages(docker, folder, { images, programs }) {
  await makeDebian(docker, folder);
  const npm = dirname(dirname(process.env.npm_execpath ?? ''));
  const found = { ...programs, node: projectNode(), npm };
  for (const image of images) {
    const name = image.split('/').at(-1).split(':')[0];
    if (STAND_INS[name] !== undefined) await makeImage(docker, folder, { image, standIn: STAND_INS[name], found });
  }
}

async function makeDebian(docker, folder) {
  const tar = join(folder, 'debian.tar');
  const options = ['--variant=minbase', `--include=${DEBIAN_PACKAGES.join(',')}`];
  await require(await run('mmdebstrap', [...options, 'bookworm', tar], { env: docker.env, quiet: true }), 'mmdebstrap');
  const lines = ['RUN for name in wget nc; do ln -sf ../../bin/busybox usr/bin/$name; done'];
  const files = {};
  // Where this machine reaches registries by a certificate authority of its own, so must what is built.
  const authority = process.env.NODE_EXTRA_CA_CERTS;
  if (authority) {
    files['etc/ssl/own-authority.pem'] = authority;
    lines.push('ENV NODE_EXTRA_CA_CERTS=/etc/ssl/own-authority.pem npm_config_cafile=/etc/ssl/own-authority.pem');
  }
  await require(await run('docker', ['import', tar, `${BASE}-raw`], { env: docker.env, quiet: true }), 'docker import');
  rmSync(tar);
  await build(docker, folder, { tag: BASE, from: `${BASE}-raw`, files, lines });
}

function makeImage(docker, folder, { image, standIn, found }) {
  return build(docker, folder, { tag: image, from: BASE, files: standIn.files(found), lines: standIn.lines });
}

async function build(docker, folder, { tag, from, files, lines }) {
  const context = join(folder, 'image');
  mkdirSync(context);
  for (const [to, path] of Object.entries(files)) {
    mkdirSync(join(context, dirname(to)), { recursive: true });
    if (to.endsWith('/npm')) cpSync(path, join(context, to), { recursive: true });
    else copyFileSync(path, join(context, to));
  }
  const copies = Object.keys(files).map((path) => `COPY ${path} ${path}`);
  writeFileSync(join(context, 'Dockerfile'), [`FROM ${from}`, ...copies, ...lines, ''].join('\n'));
  await require(await run('docker', ['build', '--tag', tag, context], {
    env: docker.env,
    quiet: true,
  }), `the image ${tag}`);
  rmSync(context, { recursive: true });
}

async function require(code, what) {
  if (code !== 0) throw new Problem(`${what} failed with code ${code}; its message above says why.`);
}
