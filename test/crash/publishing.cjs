// Loaded into the trainer before its own code: its `file` backend puts new weights in as well, and stops where a test wants it to.
// What it trains on stands in its manifest, as ever; what it does stands in its output.
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { setTimeout: pause } = require('node:timers/promises');

const { PUBLISH_HOLD: holdAt = '', PUBLISH_GO: goFile = '' } = process.env;
const backends = require(join(__dirname, '../../dist/apps/trainer/src/file/file-backend.js'));
const { FileBackend } = backends;

const say = (what) => process.stdout.write(`[backend] ${what}\n`);

const step = async (name) => {
  say(name);
  if (name !== holdAt) return;
  say('holds');
  while (!existsSync(goFile)) await pause(20);
};

class PublishingBackend extends FileBackend {
  async train(samples) {
    const metrics = await super.train(samples);
    await step('train');
    return metrics;
  }

  publish = async () => {
    await step('publish');
    return { weightsPath: '/weights/next' };
  };
}

Object.defineProperty(backends, 'FileBackend', { value: PublishingBackend, enumerable: true });
