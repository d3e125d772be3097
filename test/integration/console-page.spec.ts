import { startConsolePage } from '../support/start-console-page';

describe('the console’s page', () => {
  let page: Awaited<ReturnType<typeof startConsolePage>>;
  beforeAll(async () => {
    page = await startConsolePage({ 'index.html': '<!doctype html><p>hi', 'assets/app-1a.js': 'run()' });
  });
  afterAll(() => page.close());

  it.each(['/console', '/console/', '/console?x=1'])(
    'is at %s, and may load nothing but its own files',
    async (path) => {
      const response = await fetch(page.url + path);
      expect(await response.text()).toBe('<!doctype html><p>hi');
      const policy = response.headers.get('content-security-policy');
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(response.headers.get('cache-control')).toBe('no-cache');
    },
  );

  it('is asked for anew only where it has changed', async () => {
    const { headers } = await fetch(`${page.url}/console`);
    const again = await fetch(`${page.url}/console`, { headers: { 'if-none-match': headers.get('etag')! } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  it('keeps for good what has its content in its name', async () => {
    const { headers } = await fetch(`${page.url}/console/assets/app-1a.js`);
    expect(headers.get('cache-control')).toContain('immutable');
    expect(headers.get('content-encoding')).toBe('gzip');
  });

  it.each(['/console/assets/other.js', '/console/assets/..%2f..%2fpackage.json'])('has no %s', async (path) => {
    expect((await fetch(page.url + path)).status).toBe(404);
  });
});
