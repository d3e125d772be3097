import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servicesOf } from '../support/compose-file';
import { Project } from './project';

jest.setTimeout(600_000);

const LARGEST_OWN_LAYERS = 120_000_000;
const NEVER_IN_AN_IMAGE =
  /(^|\/)(\.env[^/]*|\.git|\.npmrc|openclaw-rl\.toml|secrets|settings\.env|id_\w+|[^/]+\.(pem|key))$/;
const GIVEN_AT_THE_BUILD = /\w*(KEY|TOKEN|PASSWORD|SECRET)\w*=\S/;

const project = Project.open();
const built = Object.values(servicesOf('deploy/docker-compose.yml')).filter(({ build }) => build !== undefined);
const images = [...new Set(built.map(({ image = '' }) => image))];
const base = /^FROM (node:\S+)/m.exec(readFileSync(join(project.copy, 'Dockerfile'), 'utf8'))?.[1] ?? '';

/** Bytes of the layers of an image, as `docker history` lists them. */
const bytesOf = async (image: string): Promise<number> => {
  const sizes = await project.docker('history', '--human=false', '--format', '{{.Size}}', image);
  return sizes.split('\n').reduce((sum, size) => sum + Number(size), 0);
};

/** Archives of layers that some images have, by name. */
const unpackLayers = async (folder: string, names: readonly string[]): Promise<string[]> => {
  const archive = join(folder, 'images.tar');
  await project.docker('save', '--output', archive, ...names);
  const before = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }));
  execFileSync('tar', ['-xf', archive, '-C', folder]);
  rmSync(archive);
  const unpacked = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return unpacked.filter((path) => !before.has(path) && listOrNull(join(folder, path)) !== null);
};

/** Paths in an archive; null where a file is none. */
const listOrNull = (path: string): string[] | null => {
  try {
    const listed = execFileSync('tar', ['-tf', path], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return listed.split('\n').map((each) => each.replace(/\/$/, ''));
  } catch {
    return null;
  }
};

describe('images', () => {
  it.each(images)('%s: layers of its own under 120 MB, and nothing secret in how it was made', async (image) => {
    const own = (await bytesOf(image)) - (await bytesOf(base));
    expect(own).toBeGreaterThan(0);
    expect(own).toBeLessThan(LARGEST_OWN_LAYERS);
    const made = await project.docker('history', '--no-trunc', '--format', '{{.CreatedBy}}', image);
    expect(made).not.toContain(project.secret);
    expect(made).not.toMatch(GIVEN_AT_THE_BUILD);
  });

  it('hold none of the keys, settings and histories that lay beside the sources, in any layer', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'layers-'));
    try {
      // What the base brings along is not ours.
      await unpackLayers(folder, [base]);
      const layers = await unpackLayers(folder, images);
      expect(layers.length).toBeGreaterThan(images.length);
      const files = layers.flatMap((layer) => listOrNull(join(folder, layer)) ?? []);
      expect(files).toEqual(
        expect.arrayContaining(['app/dist/apps/gateway/src/main.js', 'app/dist/apps/console/public/index.html']),
      );
      expect(files.filter((path) => NEVER_IN_AN_IMAGE.test(path))).toEqual([]);
      const holding = layers.filter((layer) =>
        execFileSync('tar', ['-xOf', join(folder, layer)], { maxBuffer: 2 ** 30 }).includes(project.secret),
      );
      expect(holding).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('are built again without installing anything when a source changes', async () => {
    const source = join(project.copy, 'apps/gateway/src/main.ts');
    const before = readFileSync(source);
    appendFileSync(source, '\n// changed\n');
    const options = ['--progress', 'plain', '--target', 'gateway', '--tag', 'openclaw-rl-test/changed'];
    const output = await project.dockerSays('build', ...options, project.copy);
    execFileSync('git', ['-C', project.copy, 'checkout', '--quiet', source]);
    expect(readFileSync(source)).toEqual(before);
    const steps = [...output.matchAll(/^#(\d+) \[[^\]]*\] (RUN .*|COPY .*)$/gm)].map(([, step, text]) => ({
      text,
      isCached: output.includes(`#${step} CACHED`),
    }));
    const installs = steps.filter(({ text = '' }) => text.includes('npm ci'));
    expect(installs.map(({ isCached }) => isCached)).toEqual([true, true]);
    expect(steps.find(({ text = '' }) => text.includes('scripts/build.mjs'))?.isCached).toBe(false);
  });
});
