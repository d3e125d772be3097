import type { Browser, Page } from 'playwright-core';
import { until } from '@app/testing';
import { STACK_UP_MS, startStack, type Stack } from '../support/start-stack';
import { launchBrowser, openReader, type Reader } from './reader';

const PAGES = ['Now', 'Turns', 'Learning', 'Sessions', 'Feedback'] as const;

jest.setTimeout(120_000);

/** What the keyboard is at: its role or tag, its name, and whether that can be seen. */
const focused = (page: Page): Promise<{ name: string; isSeen: boolean; isMain: boolean }> =>
  page.evaluate(() => {
    const element = document.activeElement ?? document.body;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const name = element === document.body ? '' : (element.getAttribute('aria-label') ?? element.textContent);
    const isSeen = outlineStyle !== 'none' && parseFloat(outlineWidth) > 0 && width > 0 && height > 0;
    return { name: name.trim(), isSeen, isMain: element.id === 'main' };
  });

describe('the console by keyboard alone', () => {
  let stack: Stack;
  let browser: Browser;
  let reader: Reader;
  let turnId: string;

  beforeAll(async () => {
    stack = await startStack({ OPENCLAW_RL_RECORDS_ENABLED: 'true' });
    browser = await launchBrowser();
    const response = await fetch(`${stack.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-session-id': 'keys' },
      body: JSON.stringify({ messages: [{ role: 'user', content: 'What is 2 + 2?' }], max_tokens: 64 }),
    });
    turnId = response.headers.get('x-rl-turn-id')!;
    const isListed = async (): Promise<boolean> =>
      (await (await fetch(`${stack.gateway}/console/api/turns`)).text()).includes(turnId);
    await until(isListed, { what: 'the turn is listed', timeoutMs: 30_000 });
  }, STACK_UP_MS + 60_000);
  beforeEach(async () => {
    reader = await openReader(browser, { gateway: stack.gateway });
    await reader.page.getByRole('heading', { level: 1 }).waitFor();
  });
  afterEach(() => reader.close());
  afterAll(async () => {
    await browser.close();
    await stack.stop();
  });

  /** Goes on by the Tab key until it is at something called so; everything on the way shows where it is. */
  const tabTo = async (name: string | RegExp): Promise<void> => {
    const { page } = reader;
    const passed: string[] = [];
    for (let i = 0; i < 120; i += 1) {
      await page.keyboard.press('Tab');
      const at = await focused(page);
      if (at.name !== '') expect(at).toMatchObject({ isSeen: true });
      if (typeof name === 'string' ? at.name === name : name.test(at.name)) return;
      passed.push(at.name.slice(0, 40));
    }
    throw new Error(`the Tab key never came to ${String(name)}; it passed ${passed.join(', ')}`);
  };
  const heading = (name: string | RegExp): Promise<void> =>
    reader.page.getByRole('heading', { level: 1, name }).waitFor();
  const openTurn = async (): Promise<void> => {
    await tabTo('Turns');
    await reader.page.keyboard.press('Enter');
    await heading('Turns');
    await reader.page.locator(`[data-turn="${turnId}"]`).waitFor();
    await tabTo(turnId.slice(0, 8));
    await reader.page.keyboard.press('Enter');
    await heading(/^Turn /);
  };

  test('goes to every page, and to what it shows', async () => {
    const { page, troubles } = reader;
    for (const name of PAGES) {
      await page.reload();
      await page.getByRole('navigation').waitFor();
      await tabTo(name);
      await page.keyboard.press('Enter');
      await heading(name);
      expect(await page.getByRole('link', { name, exact: true }).getAttribute('aria-current')).toBe('page');
    }
    expect(troubles).toEqual([]);
  });

  test('passes over the navigation by its first stop, and is at a page’s beginning after a link', async () => {
    const { page } = reader;
    await page.keyboard.press('Tab');
    const skip = await focused(page);
    expect([skip.name, skip.isSeen]).toEqual(['To the content', true]);
    expect((await page.locator('.skip').boundingBox())!.x).toBeGreaterThanOrEqual(0);
    await page.keyboard.press('Enter');
    expect((await focused(page)).isMain).toBe(true);
    await tabTo(turnId.slice(0, 8));
    await page.keyboard.press('Enter');
    await heading(/^Turn /);
    expect((await focused(page)).isMain).toBe(true);
  });

  test('filters without leaving the filter', async () => {
    const { page } = reader;
    await tabTo('Turns');
    await page.keyboard.press('Enter');
    await heading('Turns');
    await tabTo(/^all(main|side)/);
    await page.keyboard.press('ArrowDown');
    await until(async () => (await page.evaluate(() => location.hash)) === '#/turns?kind=main', { what: 'the filter' });
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('SELECT');
  });

  test('walks through tokens, changes what colours them, and rates the answer', async () => {
    const { page, troubles } = reader;
    await openTurn();
    await tabTo(/^Surprise$/);
    await page.keyboard.press('Space');
    expect(await page.getByRole('button', { name: 'Surprise' }).getAttribute('aria-pressed')).toBe('true');
    await tabTo(/^Tokens of the answer/);
    const place = (text: RegExp): Promise<void> => page.locator('.token-facts dd', { hasText: text }).waitFor();
    for (const [key, at] of [
      ['ArrowRight', /^1 of /],
      ['ArrowRight', /^2 of /],
      ['ArrowLeft', /^1 of /],
      ['End', /^(\d+) of \1$/],
      ['Home', /^1 of /],
    ] as const) {
      await page.keyboard.press(key);
      await place(at);
    }
    await page.keyboard.press('Escape');
    await page.locator('p.token-facts').waitFor();
    await tabTo('Good answer');
    await page.keyboard.press('Space');
    await tabTo('What you would say of this answer');
    await page.keyboard.type('right');
    await tabTo('Say it');
    await page.keyboard.press('Enter');
    await page.getByText('right', { exact: true }).waitFor();
    expect(troubles).toEqual([]);
  });

  test('opens a rating and leaves it by Escape, and asks before it deletes', async () => {
    const { page, troubles } = reader;
    await tabTo('Feedback');
    await page.keyboard.press('Enter');
    await heading('Feedback');
    await page.locator('main li').first().waitFor();
    await tabTo(/^Rate /);
    await page.keyboard.press('Enter');
    await until(async () => (await focused(page)).name === 'Good answer', { what: 'the rating has the keyboard' });
    await page.keyboard.press('Escape');
    await page.locator('form.rating').waitFor({ state: 'detached' });
    expect((await focused(page)).name).toMatch(/^Rate /);
    await reader.open('#/sessions/keys');
    await page.locator('.timeline li').first().waitFor();
    await tabTo(/^Delete this session/);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    expect((await focused(page)).name).toMatch(/^Delete this session/);
    await page.keyboard.press('Enter');
    expect((await focused(page)).name).toBe('Keep');
    await tabTo('Delete');
    await page.keyboard.press('Enter');
    await page.getByText(/^Deleted: \d+ messages/).waitFor();
    expect((await focused(page)).isMain).toBe(true);
    expect(troubles).toEqual([]);
  });
});
