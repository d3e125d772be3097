import { source as axeSource } from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

/** What axe finds so bad that somebody is kept out. */
const SERIOUS = ['serious', 'critical'];

/** Somebody at the console: a page, and whatever went wrong in it. */
export interface Reader {
  readonly page: Page;
  /** Errors of the page and its console, and requests to anybody but the gateway. */
  readonly troubles: readonly string[];
  readonly open: (hash: string) => Promise<void>;
  close(): Promise<void>;
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    ...(process.env.CHROMIUM_BIN === undefined ? {} : { executablePath: process.env.CHROMIUM_BIN }),
    // Containers have no namespaces to give away, and little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });

/** Opens the console, with a key if there is one to enter. */
export const openReader = async (
  browser: Browser,
  { gateway, key }: { readonly gateway: string; readonly key?: string },
  options: BrowserContextOptions = {},
): Promise<Reader> => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on('pageerror', (error) => troubles.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') troubles.push(message.text());
  });
  page.on('dialog', (dialog) => {
    troubles.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(gateway)) troubles.push(`asked ${request.url()}`);
  });
  await page.goto(`${gateway}/console/`);
  if (key !== undefined) {
    await page.getByLabel('Your key of the console').fill(key);
    await page.keyboard.press('Enter');
    await page.getByRole('navigation').waitFor();
  }
  return {
    page,
    troubles,
    open: async (hash) => {
      await page.evaluate((place) => {
        location.hash = place;
      }, hash);
      await page.locator('main').waitFor();
    },
    close: () => context.close(),
  };
};

/** Serious faults of the page as it is, each by its rule and its place. */
export const seriousFaults = async (page: Page): Promise<string[]> => {
  await page.evaluate(axeSource);
  const violations = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run: () => Promise<{ violations: any[] }> } };
    return (await axe.run()).violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      at: nodes.map((n: any) => n.html),
    }));
  });
  return violations
    .filter(({ impact }) => SERIOUS.includes(impact as string))
    .map(({ id, at }) => `${String(id)}: ${(at as string[]).slice(0, 3).join(' | ')}`);
};
