import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { renderExamples } from '../support/chart';
import { ROOT } from '../support/compose-file';

const describeChart = renderExamples() === null ? describe.skip : describe;
const everything = join(ROOT, 'deploy/helm/examples/everything.yaml');

let folder: string;
let chart: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chart-'));
  chart = join(folder, 'chart');
  cpSync(join(ROOT, 'deploy/helm'), chart, { recursive: true, dereference: true });
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** What the check says of files of values, of the chart as it lies in its folder now. */
const check = (...files: readonly string[]): { readonly status: number | null; readonly said: string } => {
  const args = ['scripts/check-chart.mjs', '--chart', chart, ...files];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' });
  return { status, said: `${stdout}${stderr}` };
};

/** What cannot be, in a word that is its file's name; the values; and what is said of it. */
const REFUSED: readonly (readonly [string, string, string])[] = [
  ['misspelt-value', 'engines: { knd: gpu }', "additional properties 'knd' not allowed"],
  ['misspelt-app', 'apps: { gatway: { replicas: 1 } }', "additional properties 'gatway' not allowed"],
  ['unknown-section', 'settings: { judg: { votes: 1 } }', "invalid propertyName 'judg'"],
  ['key-of-a-client', 'settings: { gateway: { api_keys: [k1] } }', '/settings/gateway/api_keys'],
  ['key-of-the-console', 'settings: { console: { operator_keys: [k1] } }', '/settings/console/operator_keys'],
  ['password-in-url', 'nats: { enabled: false, url: "nats://a:b@c:4222" }', '/nats/url'],
  ['no-address-of-nats', 'nats: { enabled: false }', '/nats/url'],
  ['two-addresses-of-nats', 'nats: { url: "nats://c:4222" }', '/nats/url'],
  ['cluster-without-majority', 'nats: { replicas: 2 }', '/nats/replicas'],
  ['image-of-no-version', 'nats: { image: nats }', '/nats/image'],
  ['two-trainers', 'apps: { trainer: { replicas: 2 } }', '/apps/trainer/replicas'],
  ['no-policy-engine', 'engines: { gpu: { policy: { replicas: 0 } } }', '/engines/gpu/policy/replicas'],
  ['no-yaml', 'apps: {', 'did not find expected node content'],
];

/** A template, a text of it, what takes its place, and what is said of it. */
const BROKEN: readonly (readonly [string, string, string, string])[] = [
  ['_pod.tpl', 'readinessProbe:', 'readinesProbe:', 'containers[0].readinesProbe is not a field of it'],
  ['services.yaml', 'publishNotReadyAddresses: true', 'publishNotReadyAddresses: often', 'must be boolean'],
  ['disruption.yaml', 'maxUnavailable: 1', 'maxUnavailble: 1', 'spec.maxUnavailble is not a field of it'],
  ['network.yaml', 'policyTypes:', 'policyType:', 'spec.policyType is not a field of it'],
  ['scaling.yaml', 'minReplicaCount:', 'minReplicas:', 'openclaw-rl-prm-judge: spec.minReplicas is not a field of it'],
  ['scaling.yaml', 'scaleTargetRef: { apiV', 'scaleTarget: { apiV', 'must have required property scaleTargetRef'],
  ['monitor.yaml', 'endpoints:', 'endpoint:', 'must have required property endpoints'],
  ['nats.yaml', 'apiVersion: apps/v1', 'apiVersion: apps/v9', 'there is no schema for StatefulSet of apps/v9'],
  ['config.yaml', '(list . "settings")', '(list . "nats")', 'ConfigMap openclaw-rl-nats is there twice'],
];

/** Puts one text of a template in the place of another. */
const change = (template: string, before: string, after: string): void => {
  const path = join(chart, 'templates', template);
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(before);
  writeFileSync(path, text.replaceAll(before, after));
};

jest.setTimeout(120_000);

it('says clearly that it looks at nothing where no Helm is to be had', () => {
  const module = JSON.stringify(join(ROOT, 'scripts/lib/helm.mjs'));
  const script = `import { findHelm } from ${module};
    console.log((await findHelm({ platform: 'darwin', arch: 'arm64', env: { PATH: '' } })).missing);`;
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  expect(stdout).toBe('there is no helm in the path, and none to fetch for darwin on arm64\n');
});

describeChart('the check of the chart', () => {
  it('has nothing to say of a chart that is in order', () => {
    expect(check(everything)).toEqual({ status: 0, said: '' });
  });

  it('refuses values that cannot be', () => {
    const files = REFUSED.map(([name, values]) => {
      const file = join(folder, `${name}.yaml`);
      writeFileSync(file, values);
      return file;
    });
    const { status, said } = check(...files);
    // One complaint begins with its file's name, and goes on to the next.
    const complaints = said.split(/^(?=\S*\.yaml: )/m);
    for (const [name, , complaint] of REFUSED) {
      expect(complaints.find((each) => each.includes(`${name}.yaml: `))).toContain(complaint);
    }
    expect(status).toBe(1);
  });

  it('refuses manifests that a cluster would refuse, or take for something else', () => {
    for (const [template, before, after] of BROKEN) change(template, before, after);
    const { status, said } = check(everything);
    for (const [, , , complaint] of BROKEN) expect(said).toContain(complaint);
    expect(status).toBe(1);
  });

  it.each([
    ['nats.yaml', 'server.conf: |', 'nats.conf: |', 'Map keys must be unique'],
    ['services.yaml', 'spec:', '{{ fail "not so" }}', 'not so'],
  ])('refuses %s where %s is %s', (template, before, after, complaint) => {
    change(template, before, after);
    const { status, said } = check(everything);
    expect(said).toContain(complaint);
    expect(status).toBe(1);
  });
});
