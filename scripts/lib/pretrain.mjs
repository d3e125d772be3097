import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from './problem.mjs';

const SAVE_EVERY = 100;
const MEASURE_EVERY = 500;
const REPORT_EVERY = 20;
const MEASURE = { seed: 4242, temperature: 1 };
const TASKS_ON_THE_WAY = 100;
const TASKS_AT_THE_END = 400;
const SLOTS = 32;

const json = (value) => JSON.stringify(value, null, 2) + '\n';

/** Never half a file, also if the process is killed. */
const writeWhole = (file, contents) => {
  writeFileSync(`${file}.part`, contents);
  renameSync(`${file}.part`, file);
};

const percent = (measured) =>
  Object.entries(measured)
    .map(([name, share]) => `${name} ${share.toFixed(2)}`)
    .join('  ');

/**
 * @param lib the built @app/pocket-lm
 * @param options seed, steps (default: the library's), out: where the model goes, state: where a killed run goes on from
 */
export async function pretrain(lib, { seed: seedText, steps: stepsText, out, state }) {
  const seed = Number(seedText);
  const options = { ...lib.PRETRAINING_DEFAULTS, seed, ...(stepsText && { steps: Number(stepsText) }) };
  if (!Number.isInteger(options.steps) || options.steps <= options.warmUp) {
    throw new Problem(
      `--steps is ${stepsText}; allowed: a whole number above ${options.warmUp}, the steps of the warm-up.`,
    );
  }
  const config = lib.POCKET_CONFIG;
  const tokenizerText = json(lib.tokenizerJson(lib.learnCorpusMerges(seed)));
  const tokenizerConfig = lib.tokenizerConfigJson(config.context);
  const tokenizer = new lib.PocketTokenizer({ tokenizer: JSON.parse(tokenizerText), config: tokenizerConfig });
  const hash = lib.hashTokenizer(tokenizerText);

  const settings = JSON.stringify({ options, config, hash });
  const file = join(state, 'checkpoint.safetensors');
  mkdirSync(state, { recursive: true });
  const saved = existsSync(file) ? lib.decodeCheckpoint(readFileSync(file)) : null;
  if (saved && saved.settings !== settings) {
    throw new Problem(`${file} belongs to a run with other settings: finish that one, or delete the file.`);
  }
  const random = lib.normalFrom(lib.seededRandom(seed));
  const machine = new lib.Machine(config, saved?.parameters ?? lib.initialParameters(config, random));
  const training = new lib.Pretraining(machine, tokenizer, options);
  if (saved) training.restore(saved.optimizer);
  const model = { decoder: new lib.Decoder(machine, SLOTS), tokenizer };
  console.log(`${saved ? 'Going on at' : 'Starting at'} step ${training.stepsDone} of ${options.steps}, seed ${seed}.`);

  let begin = performance.now();
  let losses = [];
  while (!training.isDone) {
    losses.push(training.advance());
    const step = training.stepsDone;
    if (step % REPORT_EVERY === 0) {
      const seconds = (performance.now() - begin) / 1000 / losses.length;
      const loss = losses.reduce((sum, each) => sum + each, 0) / losses.length;
      const left = Math.ceil(((options.steps - step) * seconds) / 60);
      console.log(`step ${step}  loss ${loss.toFixed(4)}  ${seconds.toFixed(2)} s a step  ${left} min left`);
      losses = [];
      begin = performance.now();
    }
    if (step % SAVE_EVERY === 0) {
      writeWhole(
        file,
        lib.encodeCheckpoint({ parameters: machine.parameters.read(), optimizer: training.save(), settings }),
      );
    }
    if (step % MEASURE_EVERY === 0 && !training.isDone) {
      const { measured, examples } = lib.measure(model, { ...MEASURE, tasks: TASKS_ON_THE_WAY });
      console.log(`  ${percent(measured)}\n${examples.map((text) => `  > ${JSON.stringify(text)}`).join('\n')}`);
      begin = performance.now();
    }
  }

  const { measured } = lib.measure(model, { ...MEASURE, tasks: TASKS_AT_THE_END });
  console.log(percent(measured));
  const failed = lib.failedGates(measured);
  if (failed.length > 0) {
    throw new Problem(
      `The model does not pass ${failed.join(', ')}: try another seed or more steps. Nothing was written to ${out}.`,
    );
  }
  mkdirSync(out, { recursive: true });
  const command = `npm run pocket:pretrain -- --seed ${seed} --steps ${options.steps}`;
  writeWhole(join(out, 'tokenizer.json'), tokenizerText);
  writeWhole(join(out, 'tokenizer_config.json'), json(tokenizerConfig));
  writeWhole(join(out, 'config.json'), json(lib.configJson(config)));
  writeWhole(join(out, 'provenance.json'), json({ command, seed, tokenizer: hash, measured }));
  writeWhole(
    join(out, 'model.safetensors'),
    lib.encodeWeights(config, machine.parameters.read(), { tokenizer: hash, command }),
  );
  rmSync(state, { recursive: true });
  console.log(`Written to ${out}.`);
}
