import { componentOf, find, podsOf, renderExamples, type Manifest, type Peer } from '../support/chart';
import { ON_THE_BUS, readText, servicesOf } from '../support/compose-file';

const rendered = renderExamples();
const examples = Object.entries(rendered ?? {});
const manifestsOf = (name: string): readonly Manifest[] => rendered?.[name] ?? [];
/** On machines that no Helm can be had for, nothing can be said. */
const describeChart = rendered === null ? describe.skip : describe;

const compose = servicesOf('deploy/docker-compose.yml');

/** Examples that say who may chat. */
const NAMING_CLIENTS = ['everything', 'external-nats'];

const policiesOf = (manifests: readonly Manifest[]): readonly Manifest[] =>
  manifests.filter(({ kind }) => kind === 'NetworkPolicy');

/** Components of the chart among those that a rule names. */
const componentsAmong = (peers: readonly Peer[] = []): readonly string[] =>
  peers.flatMap(({ podSelector }) => podSelector?.matchLabels['app.kubernetes.io/component'] ?? []);

describeChart("the chart's pods", () => {
  it('lets those reach the outside who may in the compose file', () => {
    const mayGoOut = (name: string): boolean => {
      const { networks = [] } = compose[name] ?? {};
      return (Array.isArray(networks) ? networks : Object.keys(networks)).includes('egress');
    };
    for (const example of ['default', 'everything']) {
      const policies = policiesOf(manifestsOf(example));
      const out = policies.filter(({ spec }) => spec.egress.some(({ to }) => to?.some((peer) => 'ipBlock' in peer)));
      expect(out.map(componentOf).sort()).toEqual(policies.map(componentOf).filter(mayGoOut).sort());
    }
  });

  it('lets apps reach the collector that takes their spans, and no other pods, where tracing is on', () => {
    const tracersIn = (example: string): readonly string[] =>
      policiesOf(manifestsOf(example))
        .filter(({ spec }) => spec.egress.some(({ ports }) => ports?.some(({ port }) => port === 4318)))
        .map(componentOf)
        .sort();
    expect(tracersIn('default')).toEqual([]);
    expect(tracersIn('everything')).toEqual([...ON_THE_BUS].sort());
    const { egress } = find(manifestsOf('everything'), 'NetworkPolicy', 'session-tracker').spec;
    expect(egress.find(({ ports }) => ports?.[0]?.port === 4318)?.to).toEqual([
      { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'tracing' } } },
    ]);
  });

  it.each(examples)('lets nobody in whom nobody named, and in whoever may ask: %s', (name, manifests) => {
    const policies = policiesOf(manifests);
    const open = policies
      .filter(({ spec }) => spec.ingress?.some(({ from = [] }) => from.length === 0))
      .map(componentOf);
    expect(open).toEqual(NAMING_CLIENTS.includes(name) ? [] : ['gateway']);
    const asks = policies.flatMap((policy) =>
      policy.spec.egress.flatMap(({ to }) => componentsAmong(to).map((asked) => `${componentOf(policy)} > ${asked}`)),
    );
    const isAsked = policies.flatMap((policy) =>
      (policy.spec.ingress ?? []).flatMap(({ from }) =>
        componentsAmong(from).map((asker) => `${asker} > ${componentOf(policy)}`),
      ),
    );
    expect(isAsked.sort()).toEqual(asks.filter((pair) => !open.some((each) => pair.endsWith(`> ${each}`))).sort());
    expect(policies.map(componentOf)).toEqual(expect.arrayContaining(Object.keys(podsOf(manifests))));
  });

  it('keeps a session apart from the door, and NATS from all but its users', () => {
    const askers = (component: string): unknown =>
      JSON.stringify(find(manifestsOf('default'), 'NetworkPolicy', component).spec.ingress);
    expect(askers('sample-submitter')).not.toContain('gateway');
    expect(askers('nats')).not.toMatch(/trainer|engine/);
  });

  it.each(examples)('runs nothing of ours as root or on a writable image, and bounds it: %s', (_, manifests) => {
    const pods = Object.entries(podsOf(manifests)).filter(([, pod]) => !/sglang|slime/.test(pod.containers[0].image));
    expect(pods.length).toBeGreaterThan(4);
    for (const [, { securityContext, containers }] of pods) {
      expect(securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(containers[0].securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(containers[0].resources.limits.memory).toBeDefined();
      expect(containers[0].resources.requests).toMatchObject({ cpu: expect.anything(), memory: expect.anything() });
    }
  });

  it('asks each app whether it is ready as its image does, and lets it drain', () => {
    const pods = podsOf(manifestsOf('default'));
    for (const app of [...ON_THE_BUS, 'trainer']) {
      const [{ ports, readinessProbe }] = pods[app]!.containers;
      const stage = readText('Dockerfile').split(`FROM app AS ${app}\n`)[1];
      expect(/READY_URL=(\S+)/.exec(stage ?? '')?.[1]).toBe(
        `http://127.0.0.1:${ports?.[0]?.containerPort}${readinessProbe?.httpGet?.path}`,
      );
      // Five seconds before it is told to stop.
      expect(`${pods[app]!.terminationGracePeriodSeconds! - 5}s`).toBe(compose[app]?.stop_grace_period);
    }
  });

  it.each(examples)('lets nothing be drained from a node all at once: %s', (_, manifests) => {
    const served = Object.keys(podsOf(manifests)).filter((name) => name !== 'slime-trainer');
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget').map(componentOf);
    expect(budgets.sort()).toEqual(served.sort());
  });
});
