import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Settings } from '@app/config';
import { CONSUMERS } from '@app/contracts';
import { planPools, poolProblems } from '@app/pools';
import { describeMetrics } from '@app/telemetry';
import { componentOf, environmentOf, find, podsOf, renderExamples, settingsOf, type Manifest } from '../support/chart';
import { ON_THE_BUS, readEnvFile, readText, ROOT, servicesOf } from '../support/compose-file';

const rendered = renderExamples();
const examples = Object.entries(rendered ?? {});
const manifestsOf = (name: string): readonly Manifest[] => rendered?.[name] ?? [];
/** On machines that no Helm can be had for, nothing can be said. */
const describeChart = rendered === null ? describe.skip : describe;

const compose = servicesOf('deploy/docker-compose.yml');
const ENGINES = ['policy-engine', 'prm-engine'];

/** What Secrets give to an app, as deploy/new-secrets.sh writes them, with the key of an example's server. */
const SECRETS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  gateway: { OPENCLAW_RL_GATEWAY_API_KEYS: 'kchat', OPENCLAW_RL_NATS_URL: 'nats://gateway:k@nats:4222' },
  'chat-keys': { OPENCLAW_RL_GATEWAY_API_KEYS: 'kchat' },
  'sample-submitter': { OPENCLAW_RL_DOOR_API_KEYS: 'kdoor' },
  trainer: { OPENCLAW_RL_DOOR_API_KEYS: 'kdoor' },
  engines: { POLICY_API_KEY: 'kpolicy' },
};

/** The variables of the Secrets that a pod refers to. */
const secretsOf = (pod: ReturnType<typeof podsOf>[string]): Record<string, string> =>
  Object.assign(
    {},
    ...(pod.containers[0].envFrom ?? []).map(({ secretRef }) => SECRETS[secretRef.name.replace('openclaw-rl-', '')]),
  ) as Record<string, string>;

describe('examples of values', () => {
  it('are there for what people install', () => {
    const files = readdirSync(join(ROOT, 'deploy/helm/examples')).sort();
    expect(files).toEqual(['default.yaml', 'everything.yaml', 'external-nats.yaml', 'gpu.yaml', 'minimal.yaml']);
  });
});

describe('values.schema.json', () => {
  it('knows the sections of openclaw-rl.toml', () => {
    const { properties } = JSON.parse(readText('deploy/helm/values.schema.json')) as {
      properties: { settings: { propertyNames: { enum: string[] } } };
    };
    expect(properties.settings.propertyNames.enum.sort()).toEqual(Object.keys(new Settings()).sort());
  });
});

describeChart('the chart', () => {
  it.each(examples)('lets every app start with its settings: %s', (name, manifests) => {
    const pods = podsOf(manifests);
    for (const app of ON_THE_BUS) {
      const pod = pods[app]!;
      const { nats, metrics, gateway, door, logs } = settingsOf(manifests, pod, secretsOf(pod));
      const server = name === 'external-nats' ? 'nats.messaging.svc:4333' : 'openclaw-rl-nats:4222';
      const password = `secret-of-NATS_${app.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
      expect(nats.url).toMatch(new RegExp(`^(nats|tls)://${app}:${password}@${server}$`));
      expect(logs.format).toBe('json');
      const [listens] =
        { gateway: [gateway], 'sample-submitter': [door] }[app] ?? ([metrics] as { host: string; port: number }[]);
      expect(listens).toMatchObject({ host: '0.0.0.0', port: pod.containers[0].ports?.[0]?.containerPort });
      expect(find(manifests, 'Service', app).spec).toMatchObject({ ports: [{ targetPort: 'http' }] });
    }
  });

  it('names no variable that is no setting, but passwords of NATS', () => {
    for (const [, manifests] of examples) {
      for (const app of ON_THE_BUS) {
        const names = Object.keys(environmentOf(podsOf(manifests)[app]!.containers[0], {}));
        const password = `NATS_${app.toUpperCase().replaceAll('-', '_')}_PASSWORD`;
        expect(names.filter((name) => !name.startsWith('OPENCLAW_RL_'))).toEqual([password]);
      }
    }
    expect(Object.keys(readEnvFile('deploy/env/nats.env'))).toContain('NATS_PRM_JUDGE_PASSWORD');
  });

  it('gives keys of engines to those who ask engines, and to nobody else', () => {
    const pods = podsOf(manifestsOf('minimal'));
    const holders = Object.keys(pods).filter((name) => 'POLICY_API_KEY' in secretsOf(pods[name]!));
    expect(holders.sort()).toEqual(['gateway', 'opd-teacher', 'prm-judge', 'sample-submitter']);
    expect(settingsOf(manifestsOf('minimal'), pods.gateway!, secretsOf(pods.gateway!)).server.apiKey).toBe('kpolicy');
  });

  it.each(['gateway', 'sample-submitter'])('does not let %s start without a key', (app) => {
    const manifests = manifestsOf('default');
    expect(() => settingsOf(manifests, podsOf(manifests)[app]!)).toThrow('and there is no key');
  });

  it('lets no variable of Kubernetes pass for a setting', () => {
    const pods = examples.flatMap(([, manifests]) => Object.values(podsOf(manifests)));
    expect(pods.filter(({ enableServiceLinks }) => enableServiceLinks)).toEqual([]);
  });

  it('holds no secret itself', () => {
    const manifests = examples.flatMap(([, each]) => each);
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const inConfig = manifests.filter(
      ({ kind, data }) => kind === 'ConfigMap' && /api_keys|development/.test(JSON.stringify(data)),
    );
    expect(inConfig).toEqual([]);
  });

  it('lets the pocket model serve under the names that the apps know, and its trainer teach it through one volume', () => {
    const manifests = manifestsOf('default');
    const pods = podsOf(manifests);
    const engine = settingsOf(manifests, pods['policy-engine']!).pocket;
    const { server } = settingsOf(manifests, pods.gateway!, SECRETS.gateway);
    expect([server.baseUrl, server.judgeBaseUrl]).toEqual(
      ENGINES.map((name) => `http://openclaw-rl-${name}:${engine.port}`),
    );
    expect(engine).toMatchObject({ host: '0.0.0.0', judgeModel: server.judgeModel });
    const { trainer, training } = settingsOf(manifests, pods.trainer!, SECRETS.trainer);
    expect(trainer).toMatchObject({ backend: 'pocket', doorUrl: 'http://openclaw-rl-sample-submitter:30100' });
    expect([training.weightsDir, engine.servedFile].every((path) => path.startsWith('/var/lib/openclaw-rl/'))).toBe(
      true,
    );
    for (const name of ['trainer', 'policy-engine']) {
      expect(JSON.stringify(pods[name]!.volumes)).toContain('"claimName":"openclaw-rl-training"');
    }
  });

  it.each(['gpu', 'everything'])('starts as many engines as the pools say, on their GPUs: %s', (name) => {
    const manifests = manifestsOf(name);
    const pods = podsOf(manifests);
    const settings = settingsOf(manifests, pods['prm-judge']!, SECRETS.engines);
    const plan = planPools(settings);
    expect(poolProblems(plan, settings)).toEqual([]);
    for (const pool of ['policy', 'prm'] as const) {
      const { spec } = find(manifests, 'StatefulSet', `${pool}-engine`);
      const { engines, tensorParallel } = plan.pools[pool];
      expect(engines).toHaveLength(spec.replicas!);
      expect(engines[0]).toBe(`http://openclaw-rl-${pool}-engine-0.openclaw-rl-${pool}-engine:8000`);
      const [{ args, resources }] = spec.template.spec.containers;
      expect(resources.limits['nvidia.com/gpu']).toBe(tensorParallel);
      expect(args).toContain(`--tp-size=${tensorParallel}`);
    }
    const [slime] = pods['slime-trainer']!.containers;
    expect(slime.resources.limits['nvidia.com/gpu']).toBe(plan.pools.trainer.gpus.length);
    expect(
      environmentOf(slime, {})
        .ENGINES?.split(' ')
        .map((each) => `http://${each}`),
    ).toEqual(plan.pools.policy.engines);
    expect(settings.gate.pause).toBe('drain');
  });

  it('starts engines and slime as the compose file does', () => {
    const pods = podsOf(manifestsOf('gpu'));
    const withDefaults = (words: unknown): string[] =>
      (words as string[]).map((word) => word.replace(/\$\{\w+:-([^}]*)\}/, '$1'));
    for (const name of ENGINES) {
      const [{ image, args, env }] = pods[name]!.containers;
      expect(image).toBe(compose[name]?.image);
      expect([...args!].sort()).toEqual(withDefaults(compose[name]?.command).slice(3).sort());
      expect(environmentOf({ ...pods[name]!.containers[0], env }, {})).toEqual(compose[name]?.environment);
    }
    const [slime] = pods['slime-trainer']!.containers;
    expect(slime.image).toBe(compose['slime-trainer']?.image);
    const { OPENCLAW_RL_DOOR_KEY: key, ...file } = readEnvFile('deploy/env/slime-trainer.env');
    expect(key).toBeDefined();
    const { ACTOR_GPUS, ...env } = environmentOf(slime, {});
    expect(Object.keys(env).sort()).toEqual([...Object.keys(file), 'MODEL', 'METHOD'].sort());
    for (const name of ['SLIME', 'MEGATRON', 'SAVE', 'REF', 'UPDATES']) expect(env[name]).toBe(file[name]);
    expect(readText('deploy/slime/run_qwen3_4b.sh')).toContain(`\${ACTOR_GPUS:-${ACTOR_GPUS}}`);
  });

  it('gives slime the package as it lies in deploy/slime', () => {
    const { data } = find(manifestsOf('gpu'), 'ConfigMap', 'slime-trainer');
    const volume = podsOf(manifestsOf('gpu'))['slime-trainer']!.volumes.find(({ name }) => name === 'package');
    const items = volume?.configMap?.items ?? [];
    const files = readdirSync(join(ROOT, 'deploy/slime'), { recursive: true, encoding: 'utf8' });
    const wanted = files.filter((file) => /^(openclaw_rl_slime\/)?\w+\.(py|sh)$/.test(file));
    expect(items.map(({ path }) => path).sort()).toEqual(wanted.sort());
    for (const { key, path } of items) expect(data[key]?.trim()).toBe(readText(`deploy/slime/${path}`).trim());
  });

  it('scales judge and teacher by metrics that they export, of consumers that there are', () => {
    const scaled = manifestsOf('everything').filter(({ kind }) => kind === 'ScaledObject');
    expect(scaled.map(componentOf).sort()).toEqual(['opd-teacher', 'prm-judge']);
    for (const object of scaled) {
      const app = componentOf(object);
      const query = object.spec.triggers[0]?.metadata.query ?? '';
      const names = query.match(/openclaw_rl_\w+/g) ?? [];
      expect(names).toEqual(['openclaw_rl_consumer_pending', 'openclaw_rl_consumer_unsettled']);
      for (const name of names) {
        const metric = describeMetrics().find((each) => each.name === name);
        expect(metric?.apps).toContain(app);
        expect(metric?.labels).toContain('consumer');
      }
      expect(query.match(/consumer="([^"]*)"/g)).toEqual([`consumer="${app}"`, `consumer="${app}"`]);
      expect(Object.values(CONSUMERS).map(({ durable }) => durable)).toContain(app);
      expect(find(manifestsOf('everything'), 'Deployment', app).spec.replicas).toBeUndefined();
    }
  });

  it('runs NATS of the version, and with the users, of the compose file', () => {
    const { data } = find(manifestsOf('everything'), 'ConfigMap', 'nats');
    for (const file of ['nats.conf', 'nats.compose.conf'])
      expect(data[file]?.trim()).toBe(readText(`deploy/${file}`).trim());
    expect(podsOf(manifestsOf('default')).nats?.containers[0].image).toBe(compose.nats?.image);
    const { nats } = settingsOf(manifestsOf('everything'), podsOf(manifestsOf('everything'))['session-tracker']!);
    expect(nats).toMatchObject({ replicas: 3, storeGb: 200 });
  });

  it.each(['docs/kubernetes.md', 'docs/operations.md'])('has what the commands of %s name', (path) => {
    const manifests = manifestsOf('everything');
    const commands = [...readText(path).matchAll(/kubectl [^\n`]*/g)].join('\n');
    const workloads = [...commands.matchAll(/(deployment|statefulset)[ /](openclaw-rl-[\w-]+)/g)];
    const components = [...commands.matchAll(/app\.kubernetes\.io\/component=([\w-]+)/g)];
    for (const [, kind, name] of workloads) {
      const isNamed = (each: Manifest) => each.kind.toLowerCase() === kind && each.metadata.name === name;
      expect([name, manifests.some(isNamed)]).toEqual([name, true]);
    }
    for (const [, component] of components) expect(Object.keys(podsOf(manifests))).toContain(component);
  });
});
