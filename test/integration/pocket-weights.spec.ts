import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Decoder,
  decodeWeights,
  failedGates,
  hashTokenizer,
  learnCorpusMerges,
  Machine,
  measure,
  parseConfigJson,
  POCKET_CONFIG,
  PocketTokenizer,
  tokenizerConfigJson,
  tokenizerJson,
  type Measured,
} from '@app/pocket-lm';
import { POCKET_WEIGHTS } from '../support/start-pocket-engine';

const read = (file: string): Buffer => readFileSync(join(POCKET_WEIGHTS, file));
const readJson = (file: string): Record<string, unknown> =>
  JSON.parse(read(file).toString('utf8')) as Record<string, unknown>;

const provenance = readJson('provenance.json') as { seed: number; tokenizer: string; measured: Measured };
const tokenizerConfig = tokenizerConfigJson(POCKET_CONFIG.context) as { chat_template: string };

describe('the weights that ship', () => {
  it('have the tokenizer and the template that this corpus makes', () => {
    expect(readJson('tokenizer.json')).toEqual(tokenizerJson(learnCorpusMerges(provenance.seed)));
    expect(readJson('tokenizer_config.json')).toEqual(tokenizerConfig);
    expect(hashTokenizer(read('tokenizer.json'))).toBe(provenance.tokenizer);
    expect(parseConfigJson(readJson('config.json'))).toEqual(POCKET_CONFIG);
  });

  it('passed every gate', () => {
    expect(failedGates(provenance.measured)).toEqual([]);
  });

  it('solve, prefer the assistant’s style, and obey hints, as was measured', () => {
    const parameters = decodeWeights(read('model.safetensors'), POCKET_CONFIG, provenance.tokenizer);
    const machine = new Machine(POCKET_CONFIG, parameters);
    const tokenizer = new PocketTokenizer({ tokenizer: readJson('tokenizer.json'), config: tokenizerConfig });
    const tasks = 100;
    const { measured } = measure({ decoder: new Decoder(machine, 32), tokenizer }, { seed: 7, tasks, temperature: 1 });
    for (const [name, share] of Object.entries(provenance.measured)) {
      // Four standard deviations of a share of so many tasks.
      const spread = 4 * Math.sqrt(Math.max(0.02, share * (1 - share)) / tasks);
      expect([name, Math.abs(measured[name as keyof Measured] - share) < spread]).toEqual([name, true]);
    }
  });
});
