import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { complaintsAbout } from './manifests.mjs';
import { root } from './project.mjs';

/** Where the chart is. */
export const CHART = join(root, 'deploy', 'helm');

/** Files of values that the chart is tried with, besides its own. */
export const EXAMPLES = readdirSync(join(CHART, 'examples')).map((file) => join(CHART, 'examples', file));

/** The manifests that a chart makes of a file of values. @throws Error with what Helm says */
export function render(helm, chart, values) {
  const text = runHelm(helm, ['template', 'openclaw-rl', chart, '--namespace', 'agents', '--values', values]);
  return parseAllDocuments(text, { merge: true })
    .map((document) => {
      const [error] = [...document.errors, ...document.warnings];
      if (error !== undefined) throw error;
      return document.toJS();
    })
    .filter((manifest) => manifest !== null);
}

/** Everything that is wrong with a chart where these values are set. An empty list if nothing is. */
export async function complaintsAboutChart(helm, chart, values) {
  try {
    runHelm(helm, ['lint', chart, '--strict', '--quiet', '--values', values]);
    const manifests = render(helm, chart, values);
    if (manifests.length === 0) return ['the chart makes nothing of it'];
    const found = await Promise.all(
      manifests.map(async (manifest) =>
        (await complaintsAbout(manifest)).map((text) => `${manifest.kind} ${manifest.metadata?.name}: ${text}`),
      ),
    );
    return [...found.flat(), ...twice(manifests)];
  } catch (error) {
    return [error.message];
  }
}

function twice(manifests) {
  const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  return names.filter((name, i) => names.indexOf(name) !== i).map((name) => `${name} is there twice`);
}

/** Its standard output. What it says of links in the chart, which are meant, is left out of errors. */
function runHelm(helm, args) {
  try {
    return execFileSync(helm, args, { encoding: 'utf8', stdio: 'pipe', maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const lines = `${error.stdout}${error.stderr}`
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.startsWith('level=INFO'));
    throw new Error(`helm ${args[0]}: ${lines.join('\n')}`, { cause: error });
  }
}
