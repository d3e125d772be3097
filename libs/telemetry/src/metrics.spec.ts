import { createRegistry } from './metrics';

describe('createRegistry', () => {
  it('holds every metric once, under our prefix, with help', async () => {
    const { registry, metrics } = createRegistry();
    const ours = (await registry.getMetricsAsJSON()).filter(({ name }) => name.startsWith('openclaw_rl_'));
    expect(ours).toHaveLength(Object.keys(metrics).length);
    expect(new Set(ours.map(({ name }) => name)).size).toBe(ours.length);
    for (const { name, help } of ours) {
      expect(name).toMatch(/^openclaw_rl_[a-z_]+$/);
      expect(help).not.toBe('');
    }
  });

  it('ends counters in _total, and nothing else', async () => {
    const { registry } = createRegistry();
    for (const { name, type } of await registry.getMetricsAsJSON()) {
      if (!name.startsWith('openclaw_rl_')) continue;
      expect([name, name.endsWith('_total')]).toEqual([name, String(type) === 'counter']);
    }
  });

  it('has no label for ids, sessions or text', async () => {
    const { registry } = createRegistry();
    const known = [
      'status',
      'stream',
      'consumer',
      'kind',
      'route',
      'drift',
      'exclusion',
      'cause',
      'role',
      'result',
      'score',
      'state',
      'pool',
      'engine',
      'condition',
    ];
    const labels = ['outcome', 'signal', 'fate', 'operation', 'error', ...known];
    for (const { name } of await registry.getMetricsAsJSON()) {
      if (!name.startsWith('openclaw_rl_')) continue;
      const metric = registry.getSingleMetric(name) as unknown as { labelNames: readonly string[] };
      expect(labels).toEqual(expect.arrayContaining([...metric.labelNames]));
    }
  });

  it('is apart from every other, so that two apps in one process do not meet', async () => {
    const [one, two] = [createRegistry(), createRegistry()];
    one.metrics.busUp.set(1);
    await expect(one.registry.metrics()).resolves.toContain('openclaw_rl_bus_up 1');
    await expect(two.registry.metrics()).resolves.toContain('openclaw_rl_bus_up 0');
  });
});
