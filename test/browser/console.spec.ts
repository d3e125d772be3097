import type { Browser } from 'playwright-core';
import { until } from '@app/testing';
import { STACK_UP_MS, startStack, type Stack } from '../support/start-stack';
import { launchBrowser, openReader, seriousFaults, type Reader } from './reader';

const OPERATOR = 'sk-operate';
const VIEWER = 'sk-view';
const MARKUP = '<img src=x onerror=alert(1)><b>3 + 4</b>';
const QUESTION = `Carl solved 12 + 5 with 17, right. What do I write below it? ${MARKUP}`;
const COMPLAINT = 'Too cold. Please be friendly and use the name of the child.';
const PAGES = ['now', 'turns', 'learning', 'sessions', 'feedback'] as const;

jest.setTimeout(120_000);

describe('the console in a browser', () => {
  let stack: Stack;
  let browser: Browser;
  let turnId: string;
  const readers: Reader[] = [];

  const say = async (messages: { role: string; content: string }[], session: string, more = {}) => {
    const response = await fetch(`${stack.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': session, ...more },
      body: JSON.stringify({ messages, max_tokens: 64 }),
    });
    const answer = (await response.json()) as { choices: { message: { role: string; content: string } }[] };
    return { id: response.headers.get('x-rl-turn-id')!, message: answer.choices[0]!.message };
  };
  const rowOf = async (id: string): Promise<{ fate: string } | undefined> => {
    const headers = { authorization: `Bearer ${OPERATOR}` };
    const { turns } = (await (await fetch(`${stack.gateway}/console/api/turns`, { headers })).json()) as {
      turns: { turnId: string; fate: string }[];
    };
    return turns.find((row) => row.turnId === id);
  };
  const open = async (key: string, options = {}): Promise<Reader> => {
    const reader = await openReader(browser, { gateway: stack.gateway, key }, options);
    readers.push(reader);
    return reader;
  };

  beforeAll(async () => {
    stack = await startStack({
      OPENCLAW_RL_RECORDS_ENABLED: 'true',
      OPENCLAW_RL_RL_ALGORITHM: 'hybrid',
      OPENCLAW_RL_CONSOLE_OPERATOR_KEYS: OPERATOR,
      OPENCLAW_RL_CONSOLE_VIEWER_KEYS: VIEWER,
    });
    browser = await launchBrowser();
    const first = { role: 'user', content: QUESTION };
    const { id, message } = await say([first], 'seen');
    await say([first, message, { role: 'user', content: COMPLAINT }], 'seen');
    await until(async () => (await rowOf(id))?.fate === 'sample', { what: 'a sample with a hint', timeoutMs: 60_000 });
    turnId = id;
  }, STACK_UP_MS + 60_000);
  afterAll(async () => {
    for (const reader of readers) await reader.close();
    await browser.close();
    await stack.stop();
  });

  test('shows a turn while it happens, without being asked again', async () => {
    const { page, open: go, troubles } = await open(OPERATOR);
    await go('#/turns');
    await page.locator(`[data-turn="${turnId}"]`).waitFor();
    const { id } = await say([{ role: 'user', content: 'What is 2 + 2?' }], 'live');
    await page.locator(`[data-turn="${id}"]`).waitFor({ timeout: 10_000 });
    expect(await page.getByText('live', { exact: true }).count()).toBeGreaterThan(0);
    expect(troubles).toEqual([]);
  });

  test('shows the conversation as text, whatever stands in it', async () => {
    const { page, open: go, troubles } = await open(OPERATOR);
    await go(`#/turns/${turnId}`);
    await page.getByText(MARKUP).first().waitFor();
    expect(await page.locator('main img, main b').count()).toBe(0);
    await page.getByText(COMPLAINT).first().waitFor();
    await page.getByRole('heading', { name: /Votes/ }).waitFor();
    expect(troubles).toEqual([]);
  });

  test('shows tokens by hover and by keyboard, and colours them by what is asked for', async () => {
    const { page, open: go, troubles } = await open(OPERATOR);
    await go(`#/turns/${turnId}`);
    const tokens = page.getByLabel('Tokens of the answer');
    await tokens.locator('span').first().waitFor();
    const classes = (): Promise<string[]> =>
      tokens.locator('span').evaluateAll((all) => all.map((each) => each.getAttribute('class') ?? ''));
    const combined = await classes();
    await tokens.locator('span').nth(1).hover();
    await page.locator('dd', { hasText: /^2 of / }).waitFor();
    for (const fact of ['id', 'log-prob', 'teacher − student', 'trained on', 'version']) {
      await page.locator('.token-facts dt', { hasText: new RegExp(`^${fact}$`) }).waitFor();
    }
    await tokens.focus();
    await page.keyboard.press('ArrowRight');
    await page.locator('dd', { hasText: /^3 of / }).waitFor();
    await page.getByRole('button', { name: 'Surprise' }).click();
    await until(async () => (await classes()).join() !== combined.join(), { what: 'other colours' });
    expect(troubles).toEqual([]);
  });

  test('gives a viewer numbers and no text', async () => {
    const { page, open: go, troubles } = await open(VIEWER);
    await go(`#/turns/${turnId}`);
    await page.getByText('A viewer sees every number and no text').waitFor();
    const text = await page.locator('main').innerText();
    expect(text).not.toMatch(/3 \+ 4|Carl|friendly/);
    expect(await page.getByLabel('Tokens of the answer').locator('span').count()).toBeGreaterThan(0);
    expect(await page.getByRole('button', { name: 'Good answer' }).count()).toBe(0);
    await go('#/sessions');
    await page.locator('tbody a').first().click();
    await page.locator('.timeline li').first().waitFor();
    expect(await page.getByRole('button', { name: /Delete/ }).count()).toBe(0);
    await go('#/feedback');
    await page.locator('main li').first().waitFor();
    expect(await page.getByRole('button', { name: /Rate/ }).count()).toBe(0);
    expect(troubles).toEqual([]);
  });

  test('lets nobody in with another key, and has no error to report of it', async () => {
    const reader = await openReader(browser, { gateway: stack.gateway });
    readers.push(reader);
    const { page, troubles } = reader;
    await page.getByLabel('Your key of the console').fill('sk-other');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('navigation').count()).toBe(0);
    const icon = await page.locator('link[rel=icon]').getAttribute('href');
    expect((await page.request.get(`${stack.gateway}${icon!}`)).headers()['content-type']).toBe('image/svg+xml');
    expect(troubles).toEqual([]);
  });

  test('filters turns by kind, route and fate, and opens one by a click on its line', async () => {
    const { page, open: go, troubles } = await open(OPERATOR);
    const messages = [{ role: 'user', content: 'A name for this conversation, please.' }];
    const { id: side } = await say(messages, 'seen', { 'x-turn-type': 'side' });
    await go('#/turns');
    await page.locator(`[data-turn="${side}"]`).waitFor();
    const ids = (): Promise<(string | null)[]> =>
      page.locator('tbody tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-turn')));
    const choose = async (name: string, value: string, isRight: (shown: (string | null)[]) => boolean) => {
      await page.getByLabel(name).selectOption(value);
      await until(async () => isRight(await ids()), { what: `${name}: ${value}` });
    };
    await choose('Kind', 'side', (shown) => shown.includes(side) && !shown.includes(turnId));
    await choose('Kind', '', (shown) => shown.includes(side) && shown.includes(turnId));
    await choose('Fate', 'sample', (shown) => shown.includes(turnId) && !shown.includes(side));
    expect(await page.evaluate(() => location.hash)).toBe('#/turns?fate=sample');
    await choose('Route', 'text', (shown) => shown.length === 0);
    await page.getByText('No turns').waitFor();
    await choose('Route', 'sglext', (shown) => shown.includes(turnId));
    // Anywhere on the line, and not on its link alone.
    const { x, y, width, height } = (await page.locator(`[data-turn="${turnId}"] td`).nth(4).boundingBox())!;
    await page.mouse.click(x + width / 2, y + height / 2);
    await page.getByRole('heading', { name: `Turn ${turnId.slice(0, 8)}` }).waitFor();
    expect(troubles).toEqual([]);
  });

  test('finds a session by what its client calls it', async () => {
    const { page, open: go, troubles } = await open(OPERATOR);
    await go('#/sessions/seen');
    await page.locator(`.timeline a[href="#/turns/${turnId}"]`).waitFor();
    await go('#/sessions/never%2Fseen');
    await page.getByText('Nothing is kept of this session').waitFor();
    expect(troubles).toEqual([]);
  });

  test('takes a person’s word, and deletes a session', async () => {
    const { page, open: go, troubles } = await open(OPERATOR);
    const { id } = await say([{ role: 'user', content: 'What is 5 + 5?' }], 'rated');
    await go(`#/turns/${id}`);
    await page.getByRole('button', { name: 'Bad answer' }).click();
    await page.getByLabel('What you would say of this answer').fill('too short');
    await page.getByRole('button', { name: 'Say it' }).click();
    await page.getByText('too short', { exact: true }).waitFor();
    await page.locator('.turn-facts dd a').click();
    await page.getByRole('button', { name: /Delete this session/ }).click();
    const other = await open(VIEWER);
    await other.open('#/turns');
    await other.page.locator(`[data-turn="${id}"]`).waitFor();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByText(/^Deleted: \d+ messages/).waitFor();
    await go('#/turns');
    await page.locator(`[data-turn="${turnId}"]`).waitFor();
    expect(await page.locator(`[data-turn="${id}"]`).count()).toBe(0);
    expect(await rowOf(id)).toBeUndefined();
    await other.page.locator(`[data-turn="${id}"]`).waitFor({ state: 'detached', timeout: 10_000 });
    expect([...troubles, ...other.troubles]).toEqual([]);
  });

  test('sets answers to held-out prompts side by side, to operators alone, and deletes them', async () => {
    const answers = [
      { prompt: 'How many are 7 and 4?', before: 'Final answer: 11', after: 'I got 11' },
      { prompt: 'And 3 and 4?', before: 'I got 7', after: 'I got 7' },
    ];
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ version: 1, answers });
    expect((await fetch(`${stack.door}/v1/policy/answers`, { method: 'POST', headers, body })).status).toBe(200);
    const viewer = await open(VIEWER);
    await viewer.open('#/learning');
    await viewer.page.locator('.chart').first().waitFor();
    expect(await viewer.page.locator('main').innerText()).not.toContain('I got 11');
    const { page, open: go, troubles } = await open(OPERATOR);
    await go('#/learning');
    await page.getByText('I got 11').waitFor();
    await page.getByText('1 of 2 answers changed').waitFor();
    expect(await page.locator('.held-out').nth(1).innerText()).toContain('the same');
    await page.getByRole('button', { name: 'Delete all of these answers' }).click();
    await page.locator('.held-out').first().waitFor({ state: 'detached' });
    expect(troubles).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('keeps nobody out: axe finds no serious fault, %s', async (colorScheme) => {
    const reader = await open(OPERATOR, { colorScheme, bypassCSP: true });
    for (const hash of [...PAGES.map((page) => `#/${page}`), `#/turns/${turnId}`, '#/sessions/seen']) {
      await reader.open(hash);
      await reader.page.getByRole('heading', { level: 1 }).waitFor();
      expect([hash, await seriousFaults(reader.page)]).toEqual([hash, []]);
    }
  });

  test('fits a phone: no page is wider than the screen', async () => {
    const { page, open: go } = await open(OPERATOR, { viewport: { width: 360, height: 740 } });
    for (const hash of [...PAGES.map((each) => `#/${each}`), `#/turns/${turnId}`, '#/sessions/seen']) {
      await go(hash);
      await page.getByRole('heading', { level: 1 }).waitFor();
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect([hash, width]).toEqual([hash, 360]);
    }
  });
});
