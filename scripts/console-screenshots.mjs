import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { learn, LEARNING_SETTINGS } from './demo/learning.mjs';
import { FREE } from './demo/paces.mjs';
import { TEMPERATURE } from './demo/sampling.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { findChromium } from './lib/chromium.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Problem, runScript } from './lib/problem.mjs';
import { loadExperimentLibrary, root } from './lib/project.mjs';
import { startQuietStack, withQuietSupervisor } from './lib/quiet-stack.mjs';

// Usage: npm run console:screenshots. Lets simulated people talk to the pocket model for some updates, and takes a picture of each
// page of the console, light and dark, into docs/console.
const UPDATES = Number(process.argv[2] ?? 8);
const QUESTIONS = 10;
const SEED = 3;
/** What the policy is asked before and after each update. */
const HELD_OUT = [
  'Carl solved 12 + 5 with 17, right. What do I write below it?',
  'Mia has 7 apples and finds 4 more. How many apples are there now?',
];
/** Fonts of a machine without a screen have no pictures. */
const PICTURE = /\p{Extended_Pictographic}/u;
const OUT = join(root, 'docs', 'console');
const SIZE = { width: 1180, height: 760 };

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const { chromium, missing } = await findChromium();
  if (missing !== undefined) throw new Problem(`No pictures can be taken: ${missing}.`);
  await withQuietSupervisor('screenshots', (context) => takePictures({ ...context, executablePath: chromium }));
});

async function takePictures({ folder, supervisor, signal, executablePath }) {
  const recordsDir = join(folder, 'records');
  const heldOut = { OPENCLAW_RL_TRAINING_HELD_OUT_PROMPTS: HELD_OUT.join('\n') };
  const stack = await startQuietStack(supervisor, {
    folder,
    recordsDir,
    settings: { ...LEARNING_SETTINGS, ...heldOut },
  });
  const { gatewayUrl, doorUrl } = stack;
  const exam = loadExperimentLibrary().drawExam(SEED, QUESTIONS);
  const told = { onLook: () => undefined, onScore: (update) => console.log(`update ${update} of ${UPDATES}`) };
  const people = {
    updates: UPDATES,
    seed: SEED,
    temperature: TEMPERATURE,
    exam,
    glance: QUESTIONS,
    pace: FREE,
    signal,
  };
  await learn({ gatewayUrl, doorUrl, ...people, ...told });
  mkdirSync(OUT, { recursive: true });
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const places = await placesOf(gatewayUrl);
    for (const colorScheme of ['light', 'dark']) {
      const page = await browser.newPage({ colorScheme, viewport: SIZE });
      await page.goto(`${gatewayUrl}/console/`);
      for (const [name, hash] of Object.entries(places)) await takePicture(page, { name, hash, colorScheme });
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

/** The pages, and for those of one turn or session the one that shows most. */
async function placesOf(gatewayUrl) {
  const read = async (path) => (await fetch(`${gatewayUrl}/console/api/${path}`)).json();
  const { turns } = await read('turns?limit=120&fate=sample');
  const all = await Promise.all(turns.map(async ({ turnId }) => (await read(`turns/${turnId}`)).turn));
  const found = all.filter((turn) => !PICTURE.test(JSON.stringify(turn)));
  const { sessions } = await read('sessions');
  const longest = sessions.sort((a, b) => b.turns - a.turns)[0];
  return {
    now: '#/now',
    turns: '#/turns?kind=main',
    turn: `#/turns/${found.toSorted((a, b) => contrastOf(b) - contrastOf(a))[0].row.turnId}`,
    learning: '#/learning',
    'held-out': '#/learning',
    sessions: '#/sessions',
    session: `#/sessions/${longest.session}`,
    feedback: '#/feedback',
  };
}

/** How many tokens the teacher would rather have, or not have, and whether it is some of both. */
function contrastOf({ tokens }) {
  const teacher = tokens?.teacherLogProbs ?? [];
  const sides = teacher.map((each, i) => each - tokens.logProbs[i]).filter((each) => Math.abs(each) > 0.1);
  const up = sides.filter((each) => each > 0).length;
  return sides.length + 3 * Math.min(up, sides.length - up) + teacher.length / 2;
}

async function takePicture(page, { name, hash, colorScheme }) {
  await page.evaluate((place) => (globalThis.location.hash = place), hash);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle', { timeout: 2000 }).catch(() => undefined);
  if (name === 'turn') {
    await page.getByRole('button', { name: 'Teacher' }).click();
    await page.locator('.token-text .p8, .token-text .n8, .token-text span').first().click();
    await page.evaluate(() => globalThis.scrollTo(0, 0));
  }
  writeFileSync(join(OUT, `${name}-${colorScheme}.webp`), await photograph(page, await areaOf(page, name)));
  console.log(`docs/console/${name}-${colorScheme}.webp`);
}

/** What of a page is shown: a turn as a whole, answers before and after by themselves, of the others what fits on a screen. */
async function areaOf(page, name) {
  const screen = { x: 0, y: 0, ...SIZE };
  if (name === 'turn') return { ...screen, height: await page.evaluate(() => globalThis.document.body.scrollHeight) };
  if (name !== 'held-out') return screen;
  const answers = page.locator('section[aria-labelledby=held-out-title]');
  // Above the table of updates, and away from the bar.
  await answers.waitFor();
  const { y, height } = await answers.evaluate((section) => {
    const box = section.getBoundingClientRect();
    return { y: box.y + globalThis.scrollY, height: box.height };
  });
  return { ...screen, y: Math.floor(y), height: Math.ceil(height) };
}

/** The page as WebP, a third of a PNG's size, which only the browser's own protocol makes. */
async function photograph(page, area) {
  const client = await page.context().newCDPSession(page);
  const { data } = await client.send('Page.captureScreenshot', {
    format: 'webp',
    quality: 82,
    captureBeyondViewport: true,
    clip: { ...area, scale: 1 },
  });
  return Buffer.from(data, 'base64');
}
